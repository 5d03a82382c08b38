// Package v1 registers the API version of custom resource definitions, without their types.
package v1

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// AddToScheme makes the version known.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(schema.GroupVersion{Group: "apiextensions.k8s.io", Version: "v1"})
	return nil
}
