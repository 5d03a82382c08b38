// Package rest has what helm.sh/helm/v4/pkg/engine names of client-go's package.
package rest

// Config would say how a cluster is reached.
type Config struct{}
