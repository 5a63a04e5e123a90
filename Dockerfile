# syntax=docker/dockerfile:1
# The command `comity` alone, as a user without rights.
#
#     docker build --tag comity .
#     docker run --rm --volume "$PWD:/data:ro" comity lint robots.txt
FROM rust:1.95-slim-bookworm AS build
WORKDIR /comity
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/comity/target \
    cargo build --release --locked --package comity-cli \
    && cp target/release/comity /usr/local/bin/comity

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="comity" \
      org.opencontainers.image.description="What a program may fetch from the web, how fast, and what it may do with what it gets, and why" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin comity \
    && mkdir /data
# The certificates that sites are checked against.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /usr/local/bin/comity /usr/local/bin/comity
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/comity/
USER 10001:10001
# Files are named from here; answers and pace are kept in the user's home, which a volume can hold.
WORKDIR /data
ENTRYPOINT ["comity"]
CMD ["--help"]
