# frozen_string_literal: true

# Robotstxt::Parser of the Ruby gem `robotstxt`, from its documentation page.
#
# The page contains the source of every method, each on one line. This file
# reads the page at run time ($COMITY_DATA/seeds/ruby-robotstxt-parser.txt),
# restores the line breaks and evaluates the result. It defines the methods that
# the page does not contain. A comment states the assumption of each.

require 'io/wait'
require 'uri'

# The module of the gem.
module Robotstxt
  # Assumed: returns the string as UTF-8 without invalid bytes.
  def self.ultimate_scrubber(text)
    text.dup.force_encoding(Encoding::UTF_8).scrub('')
  end

  # The class of the printed methods.
  class Parser
    # Assumed from "Attributes" on the page, and from the uses of `rules`.
    attr_reader :sitemaps, :rules

    NOT_IN_A_URI = %r{[^!$#%&'()*+,\-./0-9:;=?@A-Z_a-z~]}n

    # Assumed: percent-encodes every byte that a URI must not contain.
    def objectify_uri(uri)
      return uri unless uri.is_a?(String)

      escaped = uri.b.gsub(NOT_IN_A_URI) { |byte| format('%%%02X', byte.ord) }
      URI.parse(escaped.force_encoding(Encoding::UTF_8))
    end
  end
end

# Ruby 3.0 removed this method. Assumed: it does what its replacement does, and
# returns UTF-8.
def URI.unescape(text)
  URI::DEFAULT_PARSER.unescape(text).force_encoding(Encoding::UTF_8)
end

# Restores the line breaks of the printed sources.
module Print
  # The first and the last word of each comment. The last word ended its line.
  COMMENTS = [
    ['set', '@sitemaps'], ['Some', 'badly.'], ['First', 'unescape'],
    ['&', '?'], ['Ignore', 'lines.'], ['-1', 'deleted.']
  ].freeze

  # Patterns of text with which a line of the source began.
  STATEMENTS = [
    /(?:[a-z_]+, |@)?(?<!, )[a-z_]+ = /,      # an assignment, also of two names
    /@[a-z_]+(?:\.last\[1\])? << /,           # something added to a list
    /(?:case|when|return|rescue) /,           # a keyword, never a modifier here
    /if (?:prefix &&|parser_mode|value ==)/,  # an `if` that is not a modifier
    /(?:parse|path_allowed\?)\(/,             # a call as a statement
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

# A reader of length-prefixed fields.
class Fields
  # `before_wait` runs before each wait for input.
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

# A child process that answers. Ruby cannot interrupt a backtracking regular
# expression, so a child that exceeds the time limit is killed and replaced.
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
      exit!(0) # must not flush the inherited output buffer
    end
    [child_in, child_out].each(&:close)
  end

  def work(fields, answers)
    while (frame = fields.next_frame)
      answers.write(decide(*frame), "\n")
      answers.flush
    end
  rescue Errno::EPIPE
    nil # the parent has exited
  end

  def decide(body, agent, url)
    "#{parser(body, agent).allowed?(url) ? 'A' : 'D'} -"
  rescue StandardError => e
    "E #{e.class}: #{e.message.b.inspect[1..-2][0, 200]}"
  end

  # Returns the parser for an agent and a body. The last parser is cached.
  def parser(body, agent)
    return @parser if @parsed_for == [body, agent]

    @parsed_for = nil
    text = body.dup.force_encoding(Encoding::UTF_8).scrub("\u{FFFD}")
    @parser = Robotstxt::Parser.new(agent, text)
    @parsed_for = [body, agent]
    @parser
  end
end

def main
  return puts "Robotstxt::Parser as printed, on Ruby #{RUBY_VERSION}" if ARGV.include?('--version')

  methods = printed_methods
  return puts methods if ARGV.include?('--print') # shows the evaluated code

  $VERBOSE = nil # the printed code and its regular expressions cause many warnings
  methods.each { |source| Robotstxt::Parser.class_eval(source) }
  worker = Worker.new
  frames = Fields.new($stdin) { $stdout.flush }
  while (frame = frames.next_frame)
    $stdout.write(worker.answer(frame), "\n")
  end
  $stdout.flush
end

main
