package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"strings"
	"time"

	chart "helm.sh/helm/v4/pkg/chart"
	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chartv2 "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"helm.sh/helm/v4/pkg/ignore"
	release "helm.sh/helm/v4/pkg/release/v1"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"helm.sh/helm/v4/pkg/strvals"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// HelmRequest names a chart and how it is installed.
type HelmRequest struct {
	// Folder of the chart.
	Chart     string `json:"chart"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Paths of values files; the last wins.
	Values []string `json:"values"`
	// Values as `--set` and its like take them, which win over files; in order.
	Set []Setting `json:"set"`
	// Folder within the chart with a kustomization that takes `rendered.yaml`; empty without one.
	PostRender string `json:"postRender"`
}

// Setting is a value given as text.
type Setting struct {
	// `set`, `string` or `file`.
	How  string `json:"how"`
	Text string `json:"text"`
}

const rendered = "rendered.yaml"

func init() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
}

func renderHelm(files []File, request HelmRequest) (Answer, error) {
	loaded, err := loadChart(files, request.Chart)
	if err != nil {
		return Answer{}, err
	}
	values, set, err := valuesOf(files, request)
	if err != nil {
		return Answer{}, err
	}
	if err := chartutil.ProcessDependencies(loaded, values); err != nil {
		return Answer{}, err
	}
	texts, err := execute(loaded, values, request)
	if err != nil {
		return Answer{}, err
	}
	answer, manifests, err := sorted(texts, request)
	if err != nil {
		return Answer{}, err
	}
	answer.Set = set
	for _, definition := range loaded.CRDObjects() {
		answer.Skipped = append(answer.Skipped, Skipped{
			Kind: "CustomResourceDefinition", Name: definition.Name, What: "definition",
			File: path.Join(request.Chart, trimChart(definition.Filename)),
		})
	}
	if request.PostRender == "" {
		return answer, nil
	}
	answer.Objects, err = postRender(files, request, answer.Objects, manifests)
	return answer, err
}

func loadChart(files []File, folder string) (*chartv2.Chart, error) {
	taken, err := chartFiles(files, folder)
	if err != nil {
		return nil, err
	}
	loaded, err := loader.LoadFiles(taken)
	if err != nil {
		return nil, err
	}
	return loaded, checkChart(loaded)
}

// chartFiles are the files of a chart without those that a .helmignore leaves out, as Helm's own loader of folders.
func chartFiles(files []File, folder string) ([]*archive.BufferedFile, error) {
	prefix := path.Join(folder) + "/"
	if prefix == "./" {
		prefix = ""
	}
	rules := ignore.Empty()
	for _, file := range files {
		if file.Path == prefix+ignore.HelmIgnore {
			parsed, err := ignore.Parse(bytes.NewReader(file.bytes()))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file.Path, err)
			}
			rules = parsed
		}
	}
	rules.AddDefaults()
	var taken []*archive.BufferedFile
	for _, file := range files {
		name, found := strings.CutPrefix(file.Path, prefix)
		if !found || ignored(rules, name) {
			continue
		}
		data := bytes.TrimPrefix(file.bytes(), []byte("\uFEFF"))
		taken = append(taken, &archive.BufferedFile{Name: name, Data: data})
	}
	return taken, nil
}

// ignored asks for each folder on the way, too: a folder that is ignored takes its files with it.
func ignored(rules *ignore.Rules, name string) bool {
	for at := 0; ; at++ {
		next := strings.IndexByte(name[at:], '/')
		if next < 0 {
			return rules.Ignore(name, entry{path.Base(name), false})
		}
		at += next
		if rules.Ignore(name[:at], entry{path.Base(name[:at]), true}) {
			return true
		}
	}
}

// entry is as much of a fs.FileInfo as the rules look at.
type entry struct {
	name   string
	folder bool
}

func (e entry) Name() string     { return e.name }
func (entry) Size() int64        { return 0 }
func (e entry) IsDir() bool      { return e.folder }
func (entry) ModTime() time.Time { return time.Time{} }
func (entry) Sys() any           { return nil }
func (e entry) Mode() fs.FileMode {
	if e.folder {
		return fs.ModeDir
	}
	return 0
}

// checkChart refuses what `helm install` would refuse.
func checkChart(loaded *chartv2.Chart) error {
	if loaded.Metadata.APIVersion == "v3" {
		return errors.New("charts of apiVersion v3 are an experiment of Helm's and are not supported")
	}
	if kind := loaded.Metadata.Type; kind != "" && kind != "application" {
		return fmt.Errorf("a chart of type %s cannot be installed", kind)
	}
	if wanted := loaded.Metadata.KubeVersion; wanted != "" {
		version := common.DefaultCapabilities.KubeVersion
		if !chartutil.IsCompatibleRange(wanted, version.String()) {
			return fmt.Errorf("the chart requires kubeVersion %s, which does not take %s", wanted, version.String())
		}
	}
	return checkDependencies(loaded)
}

func checkDependencies(loaded *chartv2.Chart) error {
	var missing []string
	for _, dependency := range loaded.Metadata.Dependencies {
		if !has(loaded.Dependencies(), dependency.Name) {
			missing = append(missing, dependency.Name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("found in Chart.yaml, but missing in charts/ directory: %s", strings.Join(missing, ", "))
	}
	return nil
}

func has(charts []*chartv2.Chart, name string) bool {
	for _, each := range charts {
		if each.Name() == name {
			return true
		}
	}
	return false
}

// valuesOf merges values files and settings as Helm's command line does, and gives the settings alone, too.
func valuesOf(files []File, request HelmRequest) (map[string]any, map[string]any, error) {
	byPath := map[string][]byte{}
	for _, file := range files {
		byPath[file.Path] = file.bytes()
	}
	values := map[string]any{}
	for _, file := range request.Values {
		content, found := byPath[file]
		if !found {
			return nil, nil, fmt.Errorf("%s: the values file is not there", file)
		}
		own, err := loader.LoadValues(bytes.NewReader(bytes.TrimPrefix(content, []byte("\uFEFF"))))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		values = loader.MergeMaps(values, own)
	}
	set := map[string]any{}
	for _, setting := range request.Set {
		for _, into := range []map[string]any{values, set} {
			if err := setting.parse(into, byPath); err != nil {
				return nil, nil, fmt.Errorf("'%s' sets no value: %w", setting.Text, err)
			}
		}
	}
	return values, set, nil
}

func (s Setting) parse(into map[string]any, files map[string][]byte) error {
	switch s.How {
	case "string":
		return strvals.ParseIntoString(s.Text, into)
	case "file":
		return strvals.ParseIntoFile(s.Text, into, func(name []rune) (any, error) {
			content, found := files[string(name)]
			if !found {
				return nil, fmt.Errorf("there is no file %s", string(name))
			}
			return string(content), nil
		})
	default:
		return strvals.ParseInto(s.Text, into)
	}
}

// noCluster refuses `lookup`, whose answer would decide what is rendered.
type noCluster struct{}

var errLookup = errors.New("lookup asks a running cluster")

func (noCluster) GetClientFor(string, string) (dynamic.NamespaceableResourceInterface, bool, error) {
	return nil, false, errLookup
}

func execute(loaded *chartv2.Chart, values map[string]any, request HelmRequest) (map[string]string, error) {
	options := common.ReleaseOptions{Name: request.Name, Namespace: request.Namespace, Revision: 1, IsInstall: true}
	all, err := commonutil.ToRenderValues(loaded, values, options, common.DefaultCapabilities.Copy())
	if err != nil {
		return nil, err
	}
	texts, err := engine.RenderWithClientProvider(chart.Charter(loaded), all, noCluster{})
	for name := range texts {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(texts, name)
		}
	}
	return texts, err
}

// sorted gives the objects of all templates in the order in which Helm installs them, hooks and tests apart.
func sorted(texts map[string]string, request HelmRequest) (Answer, []releaseutil.Manifest, error) {
	hooks, manifests, err := releaseutil.SortManifests(texts, nil, releaseutil.InstallOrder)
	if err != nil {
		return Answer{}, nil, err
	}
	var answer Answer
	for _, hook := range hooks {
		answer.Skipped = append(answer.Skipped, Skipped{
			Kind: hook.Kind, Name: hook.Name, File: path.Join(request.Chart, trimChart(hook.Path)), What: whatOf(hook),
		})
	}
	for _, manifest := range manifests {
		object, err := yaml.YAMLToJSON([]byte(manifest.Content))
		if err != nil {
			return Answer{}, nil, fmt.Errorf("%s: %w", manifest.Name, err)
		}
		answer.Objects = append(answer.Objects, Object{
			Object: object,
			File:   path.Join(request.Chart, trimChart(manifest.Name)),
		})
	}
	return answer, manifests, nil
}

func whatOf(hook *release.Hook) string {
	for _, event := range hook.Events {
		if event != release.HookTest {
			return "hook"
		}
	}
	return "test"
}

// trimChart takes the chart's name off a template's path, and keeps `charts/…` of a sub-chart.
func trimChart(name string) string {
	_, rest, _ := strings.Cut(name, "/")
	return rest
}

// postRender builds the kustomization that a chart brings along for what its values cannot say.
func postRender(files []File, request HelmRequest, before []Object, manifests []releaseutil.Manifest) ([]Object, error) {
	var text strings.Builder
	for _, manifest := range manifests {
		text.WriteString("---\n" + manifest.Content + "\n")
	}
	folder := path.Join(request.Chart, request.PostRender)
	kept := make([]File, 0, len(files)+1)
	for _, file := range files {
		if strings.HasPrefix(file.Path, folder+"/") {
			kept = append(kept, file)
		}
	}
	kept = append(kept, File{Path: path.Join(folder, rendered), Text: text.String()})
	built, err := renderKustomize(kept, KustomizeRequest{Folder: folder})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	sources := map[string]string{}
	for _, object := range before {
		sources[identity(object)] = object.File
	}
	for i, object := range built.Objects {
		if source, found := sources[identity(object)]; found {
			built.Objects[i].File = source
		}
	}
	return built.Objects, nil
}

func identity(object Object) string {
	var head struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	if err := yaml.Unmarshal(object.Object, &head); err != nil {
		return ""
	}
	return head.Kind + "/" + head.Metadata.Namespace + "/" + head.Metadata.Name
}
