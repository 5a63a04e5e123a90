# frozen_string_literal: true

# Robotstxt::Parser of the Ruby gem `robotstxt`, from its documentation page.
#
# The page prints the source of every method on one line. This file reads the
# page at run time ($COMITY_DATA/seeds/ruby-robotstxt-parser.txt), puts the line
# breaks back and evaluates the result. Only what the page does not print is
# written here, each with what it assumes.

require 'io/wait'
require 'uri'

# The gem's module: the printed methods go into Robotstxt::Parser.
module Robotstxt
  # Assumed: the string as UTF-8 without its invalid bytes.
  def self.ultimate_scrubber(text)
    text.dup.force_encoding(Encoding::UTF_8).scrub('')
  end

  # Holds the printed methods.
  class Parser
    # Assumed: readers, as the page's "Attributes" and its use of `rules` say.
    attr_reader :sitemaps, :rules

    NOT_IN_A_URI = %r{[^!$#%&'()*+,\-./0-9:;=?@A-Z_a-z~]}n

    # Assumed: every byte that may not stand in a URI is percent-escaped first.
    def objectify_uri(uri)
      return uri unless uri.is_a?(String)

      escaped = uri.b.gsub(NOT_IN_A_URI) { |byte| format('%%%02X', byte.ord) }
      URI.parse(escaped.force_encoding(Encoding::UTF_8))
    end
  end
end

# Removed in Ruby 3.0. Assumed: as its replacement, and the result is UTF-8.
def URI.unescape(text)
  URI::DEFAULT_PARSER.unescape(text).force_encoding(Encoding::UTF_8)
end

# Turns the printed one-line sources back into Ruby.
module Print
  # Each comment ran to the end of its line: its first and its last word.
  COMMENTS = [
    ['set', '@sitemaps'], ['Some', 'badly.'], ['First', 'unescape'],
    ['&', '?'], ['Ignore', 'lines.'], ['-1', 'deleted.']
  ].freeze

  # Where a line began in the source.
  STATEMENTS = [
    /(?:[a-z_]+, |@)?(?<!, )[a-z_]+ = /,      # an assignment, also of two names
    /@[a-z_]+(?:\.last\[1\])? << /,           # something added to a list
    /(?:case|when|return|rescue) /,           # a keyword that is no modifier here
    /if (?:prefix &&|parser_mode|value ==)/,  # an `if` that is no modifier
    /(?:parse|path_allowed\?)\(/,             # a call that stands alone
    /[a-z_]+\.(?:split|each|sub!)/,
    /path =~ /
  ].freeze

  def self.methods(page)
    page.scan(%r{^# File \S+, line \d+ (def .* end)\s*$}).map { |(flat)| unflatten(flat) }
  end

  def self.unflatten(flat)
    flat = COMMENTS.reduce(flat) do |text, (first, last)|
      text.gsub(/ # #{Regexp.escape(first)} .*?(?<=\s)#{Regexp.escape(last)} /, "\n ")
    end
    flat = flat.sub(/\Adef \S+\(.*?\) /) { |header| "#{header}\n" }
    flat = flat.gsub(/(?<=\s)(?:end|else)(?=\s|\z)/) { |word| "\n#{word}\n" }
    flat = flat.gsub(/(?<!def )(?<= )(?=#{Regexp.union(STATEMENTS)})/, "\n")
    flat.sub('RegexpError ', "RegexpError\n").gsub(/[ \n]*\n[ \n]*/, "\n")
  end
end

def printed_methods
  path = File.join(ENV.fetch('COMITY_DATA'), 'seeds', 'ruby-robotstxt-parser.txt')
  methods = Print.methods(File.read(path, encoding: 'UTF-8'))
  methods.size == 8 ? methods : abort("expected 8 printed methods, found #{methods.size}")
end

# A stream of length-prefixed fields.
class Fields
  # `before_wait` runs each time the next bytes have to be waited for.
  def initialize(input, &before_wait)
    @input = input
    @before_wait = before_wait
    @buffer = String.new(encoding: Encoding::BINARY)
    @at = 0
  end

  def next_frame
    body, agent, url = Array.new(3) { next_field }
    url && [body, agent.force_encoding(Encoding::UTF_8), url.force_encoding(Encoding::UTF_8)]
  end

  def self.write(output, fields)
    output.write(fields.map { |field| [field.bytesize].pack('V') << field.b }.join)
  end

  private

  def next_field
    length = take(4)
    length && take(length.unpack1('V'))
  end

  def take(count)
    while @buffer.bytesize - @at < count
      @before_wait&.call
      chunk = @input.readpartial(1 << 16)
      @buffer = @buffer.byteslice(@at..) << chunk
      @at = 0
    end
    @at += count
    @buffer.byteslice(@at - count, count)
  rescue EOFError
    nil
  end
end

# Answers in a child process: nothing inside a Ruby process can interrupt a
# regular expression that backtracks, so a child that is late is replaced.
class Worker
  CASE_SECONDS = 2

  def initialize
    start
  end

  def answer(frame)
    Fields.write(@questions, frame)
    return @answers.gets&.chomp || 'E the worker died' if @answers.wait_readable(CASE_SECONDS)

    Process.kill(:KILL, @pid)
    Process.wait(@pid)
    start
    'T'
  end

  private

  def start
    [@questions, @answers].compact.each(&:close)
    child_in, @questions = IO.pipe(binmode: true)
    @answers, child_out = IO.pipe
    @questions.sync = true
    @pid = fork do
      [@questions, @answers, $stdin].each(&:close)
      work(Fields.new(child_in), child_out)
      exit!(0) # what the parent has buffered is the parent's to write
    end
    [child_in, child_out].each(&:close)
  end

  def work(fields, answers)
    while (frame = fields.next_frame)
      answers.write(decide(*frame), "\n")
      answers.flush
    end
  rescue Errno::EPIPE
    nil # the parent is gone
  end

  def decide(body, agent, url)
    "#{parser(body, agent).allowed?(url) ? 'A' : 'D'} -"
  rescue StandardError => e
    "E #{e.class}: #{e.message.b.inspect[1..-2][0, 200]}"
  end

  # The parser belongs to one agent and one body; it is kept while both stay.
  def parser(body, agent)
    return @parser if @asked == [body, agent]

    @asked = nil
    text = body.dup.force_encoding(Encoding::UTF_8).scrub("\u{FFFD}")
    @parser = Robotstxt::Parser.new(agent, text)
    @asked = [body, agent]
    @parser
  end
end

def main
  return puts "Robotstxt::Parser as printed, on Ruby #{RUBY_VERSION}" if ARGV.include?('--version')

  methods = printed_methods
  return puts methods if ARGV.include?('--print') # to read what is evaluated

  $VERBOSE = nil # the printed code and the regular expressions it builds warn a lot
  methods.each { |source| Robotstxt::Parser.class_eval(source) }
  worker = Worker.new
  frames = Fields.new($stdin) { $stdout.flush }
  while (frame = frames.next_frame)
    $stdout.write(worker.answer(frame), "\n")
  end
  $stdout.flush
end

main
