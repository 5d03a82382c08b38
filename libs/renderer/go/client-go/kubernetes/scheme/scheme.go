// Package scheme knows the API versions that client-go's package of that name knows, without their types.
package scheme

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Scheme is what Helm takes `.Capabilities.APIVersions` from.
var Scheme = runtime.NewScheme()

// As client-go v0.37.2 has them: a spec compares what Helm makes of them with the native program's.
var versions = []schema.GroupVersion{
	{Group: "admissionregistration.k8s.io", Version: "v1"},
	{Group: "admissionregistration.k8s.io", Version: "v1alpha1"},
	{Group: "admissionregistration.k8s.io", Version: "v1beta1"},
	{Group: "apps", Version: "v1"},
	{Group: "apps", Version: "v1beta1"},
	{Group: "apps", Version: "v1beta2"},
	{Group: "authentication.k8s.io", Version: "v1"},
	{Group: "authentication.k8s.io", Version: "v1alpha1"},
	{Group: "authentication.k8s.io", Version: "v1beta1"},
	{Group: "authorization.k8s.io", Version: "v1"},
	{Group: "authorization.k8s.io", Version: "v1beta1"},
	{Group: "autoscaling", Version: "v1"},
	{Group: "autoscaling", Version: "v2"},
	{Group: "batch", Version: "v1"},
	{Group: "batch", Version: "v1beta1"},
	{Group: "certificates.k8s.io", Version: "v1"},
	{Group: "certificates.k8s.io", Version: "v1alpha1"},
	{Group: "certificates.k8s.io", Version: "v1beta1"},
	{Group: "coordination.k8s.io", Version: "v1"},
	{Group: "coordination.k8s.io", Version: "v1alpha2"},
	{Group: "coordination.k8s.io", Version: "v1beta1"},
	{Group: "discovery.k8s.io", Version: "v1"},
	{Group: "discovery.k8s.io", Version: "v1beta1"},
	{Group: "events.k8s.io", Version: "v1"},
	{Group: "events.k8s.io", Version: "v1beta1"},
	{Group: "extensions", Version: "v1beta1"},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1"},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta1"},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta2"},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3"},
	{Group: "internal.apiserver.k8s.io", Version: "v1alpha1"},
	{Group: "lifecycle.k8s.io", Version: "v1alpha1"},
	{Group: "networking.k8s.io", Version: "v1"},
	{Group: "networking.k8s.io", Version: "v1beta1"},
	{Group: "node.k8s.io", Version: "v1"},
	{Group: "node.k8s.io", Version: "v1alpha1"},
	{Group: "node.k8s.io", Version: "v1beta1"},
	{Group: "policy", Version: "v1"},
	{Group: "policy", Version: "v1beta1"},
	{Group: "rbac.authorization.k8s.io", Version: "v1"},
	{Group: "rbac.authorization.k8s.io", Version: "v1alpha1"},
	{Group: "rbac.authorization.k8s.io", Version: "v1beta1"},
	{Group: "resource.k8s.io", Version: "v1"},
	{Group: "resource.k8s.io", Version: "v1alpha3"},
	{Group: "resource.k8s.io", Version: "v1beta1"},
	{Group: "resource.k8s.io", Version: "v1beta2"},
	{Group: "scheduling.k8s.io", Version: "v1"},
	{Group: "scheduling.k8s.io", Version: "v1alpha3"},
	{Group: "scheduling.k8s.io", Version: "v1beta1"},
	{Group: "storage.k8s.io", Version: "v1"},
	{Group: "storage.k8s.io", Version: "v1alpha1"},
	{Group: "storage.k8s.io", Version: "v1beta1"},
	{Group: "storagemigration.k8s.io", Version: "v1"},
	{Group: "storagemigration.k8s.io", Version: "v1beta1"},
	{Group: "", Version: "v1"},
}

func init() {
	for _, version := range versions {
		Scheme.AddKnownTypes(version)
	}
}
