// Renders a chart as `helm template` does, for machines without Helm: with the template engine of Go and the functions
// of sprig, which Helm has as well, from Debian's packages. It knows what our chart uses of Helm: values, release, chart,
// include, required, toYaml. It has no sub-charts, hooks, lookups or checks of the cluster.
//
//	render CHART RELEASE NAMESPACE VALUES...
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) < 4 {
		fail(errors.New("usage: render CHART RELEASE NAMESPACE VALUES..."))
	}
	chart, release, namespace := os.Args[1], os.Args[2], os.Args[3]
	values := map[string]interface{}{}
	for _, file := range append([]string{filepath.Join(chart, "values.yaml")}, os.Args[4:]...) {
		merge(values, read(file))
	}
	described := map[string]interface{}{}
	for name, value := range read(filepath.Join(chart, "Chart.yaml")) {
		// Helm's fields begin with a capital letter.
		described[strings.ToUpper(name[:1])+name[1:]] = value
	}
	root := map[string]interface{}{
		"Values": values,
		"Chart":  described,
		"Release": map[string]interface{}{
			"Name": release, "Namespace": namespace, "Service": "Helm", "IsInstall": true, "IsUpgrade": false, "Revision": 1,
		},
	}

	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	sort.Strings(files)
	set := template.New("chart").Option("missingkey=zero")
	set.Funcs(functions(set))
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = set.New(filepath.Base(file)).Parse(string(text))
		check(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out bytes.Buffer
		check(set.ExecuteTemplate(&out, name, root))
		// Helm prints this for a value that is not there.
		text := strings.ReplaceAll(out.String(), "<no value>", "")
		if strings.TrimSpace(text) != "" && name != "NOTES.txt" {
			fmt.Printf("---\n# Source: %s\n%s\n", name, strings.TrimSpace(text))
		}
	}
}

// functions are those of sprig that Helm has, and Helm's own.
func functions(set *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	delete(all, "env")
	delete(all, "expandenv")
	all["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := set.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	all["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	all["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(string(text), "\n")
	}
	return all
}

// merge lays values over others: maps are merged, everything else is replaced, null removes.
func merge(into, from map[string]interface{}) {
	for name, value := range from {
		old, wasMap := into[name].(map[string]interface{})
		fresh, isMap := value.(map[string]interface{})
		switch {
		case value == nil:
			delete(into, name)
		case wasMap && isMap:
			merge(old, fresh)
		default:
			into[name] = value
		}
	}
}

func read(file string) map[string]interface{} {
	text, err := os.ReadFile(file)
	check(err)
	values := map[string]interface{}{}
	check(yaml.Unmarshal(text, &values))
	return values
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
