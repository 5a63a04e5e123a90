# syntax=docker/dockerfile:1
# An image with only the command `comity`, which runs as an unprivileged user.
#
#     docker build --tag comity .
#     docker run --rm --volume "$PWD:/data:ro" comity lint robots.txt
FROM rust:1.95-slim-bookworm AS build
# For the licenses of dependencies.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /comity
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/comity/target \
    cargo build --release --locked --package comity-cli \
    && cp target/release/comity /usr/local/bin/comity \
    && python3 tools/licenses.py comity-cli /usr/local/share/LICENSE-THIRD-PARTY

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="comity" \
      org.opencontainers.image.description="Crawling rules: the URLs that a program may fetch, how fast, and the permitted uses of the content" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin comity \
    && mkdir /data
# The root certificates for TLS.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /usr/local/bin/comity /usr/local/bin/comity
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/comity/
COPY --from=build /usr/local/share/LICENSE-THIRD-PARTY /usr/share/doc/comity/LICENSE-THIRD-PARTY
USER 10001:10001
# Relative paths start here. The store is in the user's home directory; mount a volume there to keep it.
WORKDIR /data
ENTRYPOINT ["comity"]
CMD ["--help"]
