// Package kubernetes is imported by Helm so that client-go's version gets into the build information.
package kubernetes
