# syntax=docker/dockerfile:1
# The image of Switchyard. `dist` is built outside, from the same sources as the package: npm run package, then docker build .
# Debian, since uWebSockets.js needs glibc: Alpine cannot run it.
ARG NODE_IMAGE=node:24-trixie-slim

# Without scripts and on the building machine's own processor, so that an image for the other needs no emulation.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS install
ARG TARGETARCH=amd64
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund --os=linux --libc=glibc --cpu="$(echo "$TARGETARCH" | sed s/amd64/x64/)" \
 && mkdir -p /skeleton/data /skeleton/keys && chmod 770 /skeleton/data /skeleton/keys

FROM ${NODE_IMAGE}
# Held by test/deploy.test.ts; the commit is in dist, for --build-arg COMMIT="$(cat dist/commit.txt)".
ARG VERSION=0.2.0
ARG STORE_FORMAT=12
ARG COMMIT=
LABEL org.opencontainers.image.title=Switchyard \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$COMMIT \
      switchyard.store-format=$STORE_FORMAT
# The system's allocator gives large blocks back when they are freed.
ENV MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
ENV NODE_ENV=production SWITCHYARD_HOST=0.0.0.0 SWITCHYARD_GATEWAY_PORT=8082 SWITCHYARD_DATA=/data
WORKDIR /app
COPY --from=install /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY dist ./dist
# What agents read.
COPY docs/*.md ./docs/
COPY docs/recipes ./docs/recipes
# Of group 0, so that a platform may choose any user id. A new volume has the owner of the folder that it is mounted on.
COPY --from=install --chown=node:0 /skeleton/ /
USER node
VOLUME /data
EXPOSE 8080 8081 8082 8443
HEALTHCHECK --interval=30s --start-period=20s --timeout=3s CMD ["node", "/app/dist/cli.js", "health"]
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD ["serve"]
