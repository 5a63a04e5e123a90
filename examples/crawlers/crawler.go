// A polite crawler: go run crawler.go < urls.txt, next to a running `comity serve --agent ExampleBot`. Details: docs/guide/serve.md.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

type answer struct {
	Admitted     bool
	Outcome, URL string
	Wait         float64 `json:"wait_seconds"`
	RetryAfter   float64 `json:"retry_after_seconds"`
	Addresses    []string
}

func ask(question string, body map[string]any) (found answer, err error) {
	service := os.Getenv("COMITY")
	if service == "" {
		service = "http://127.0.0.1:7273"
	}
	text, _ := json.Marshal(body)
	reply, err := http.Post(service+"/v1/"+question, "application/json", bytes.NewReader(text))
	if err == nil {
		defer reply.Body.Close()
		err = json.NewDecoder(reply.Body).Decode(&found)
	}
	return
}

func crawl(url string) error {
	admitted, err := ask("admit", map[string]any{"url": url})
	// Waits only for the pace and for a busy service. Other refusals skip the URL.
	for err == nil && admitted.RetryAfter > 0 && (admitted.Outcome == "" || admitted.Outcome == "wait_too_long") {
		time.Sleep(time.Duration(admitted.RetryAfter * float64(time.Second)))
		admitted, err = ask("admit", map[string]any{"url": url})
	}
	if err != nil || !admitted.Admitted {
		fmt.Println(admitted.Outcome, url)
		return err
	}
	time.Sleep(time.Duration(admitted.Wait * float64(time.Second)))
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, _ := net.SplitHostPort(address) // connects to the checked address, without a new DNS lookup
		return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(admitted.Addresses[0], port))
	}
	again := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a redirect needs its own admission
	client := http.Client{Transport: &http.Transport{DialContext: dial}, CheckRedirect: again}
	request, _ := http.NewRequest("GET", admitted.URL, nil)
	request.Header.Set("User-Agent", "ExampleBot")
	reply, err := client.Do(request)
	if err != nil {
		return err
	}
	reply.Body.Close()
	fmt.Println(reply.StatusCode, url)
	_, err = ask("report", map[string]any{"url": url, "status": reply.StatusCode, "retry_after": reply.Header.Get("Retry-After")})
	return err
}

func main() {
	for urls := bufio.NewScanner(os.Stdin); urls.Scan(); {
		if err := crawl(urls.Text()); err != nil {
			fmt.Println("failed", urls.Text(), err)
		}
	}
}
