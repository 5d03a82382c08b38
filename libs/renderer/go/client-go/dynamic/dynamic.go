// Package dynamic has what helm.sh/helm/v4/pkg/engine names of client-go's package.
package dynamic

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// ResourceInterface reads objects of one kind.
type ResourceInterface interface {
	Get(ctx context.Context, name string, options metav1.GetOptions, subresources ...string) (*unstructured.Unstructured, error)
	List(ctx context.Context, options metav1.ListOptions) (*unstructured.UnstructuredList, error)
}

// NamespaceableResourceInterface reads them in one namespace or in all.
type NamespaceableResourceInterface interface {
	Namespace(string) ResourceInterface
	ResourceInterface
}

// DynamicClient would read objects of any kind.
type DynamicClient struct{}

// NewForConfig always fails: there is no cluster.
func NewForConfig(*rest.Config) (*DynamicClient, error) {
	return nil, errors.New("no cluster can be asked while a chart is rendered")
}

// Resource is never reached.
func (*DynamicClient) Resource(schema.GroupVersionResource) NamespaceableResourceInterface {
	return nil
}
