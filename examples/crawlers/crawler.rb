# A polite crawler: ruby crawler.rb < urls.txt, next to a running `comity serve --agent ExampleBot`. Details: docs/guide/serve.md.
require "json"
require "net/http"

SERVICE = ENV.fetch("COMITY", "http://127.0.0.1:7273")

def ask(question, body)
  headers = { "Content-Type" => "application/json" }
  JSON.parse(Net::HTTP.post(URI("#{SERVICE}/v1/#{question}"), JSON.generate(body), headers).body)
end

def get(url, address)
  uri = URI(url)
  http = Net::HTTP.new(uri.host, uri.port)
  http.use_ssl = uri.scheme == "https"
  http.ipaddr = address # connects to the checked address, without a new DNS lookup
  http.get(uri.request_uri, "User-Agent" => "ExampleBot")
end

$stdin.each_line(chomp: true) do |url|
  admitted = ask("admit", url: url)
  # Waits only for the pace and for a busy service. Other refusals skip the URL.
  while (wait = admitted["retry_after_seconds"]) && [nil, "wait_too_long"].include?(admitted["outcome"])
    sleep wait
    admitted = ask("admit", url: url)
  end
  unless admitted["admitted"]
    puts "#{admitted["outcome"] || admitted["title"]} #{url}"
    next
  end
  sleep admitted["wait_seconds"]
  answer = get(admitted["url"], admitted["addresses"].first)
  ask("report", url: url, status: answer.code.to_i, retry_after: answer["Retry-After"])
  puts "#{answer.code} #{url}"
end
