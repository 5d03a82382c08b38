// Package discovery has what helm.sh/helm/v4/pkg/engine names of client-go's package.
package discovery

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// DiscoveryClient would ask a cluster for its resources.
type DiscoveryClient struct{}

// NewDiscoveryClientForConfig always fails: there is no cluster.
func NewDiscoveryClientForConfig(*rest.Config) (*DiscoveryClient, error) {
	return nil, errors.New("no cluster can be asked while a chart is rendered")
}

// ServerResourcesForGroupVersion is never reached.
func (*DiscoveryClient) ServerResourcesForGroupVersion(string) (*metav1.APIResourceList, error) {
	return nil, errors.New("no cluster can be asked while a chart is rendered")
}
