// A stand-in for k8s.io/apiextensions-apiserver, of which Helm takes the names of two API versions.
module k8s.io/apiextensions-apiserver

go 1.26.0

require k8s.io/apimachinery v0.37.2
