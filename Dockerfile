# One image for each service, one that prepares the databases (migrate), one for the sandbox:
#   docker build --target dispatcher -t holdfast-dispatcher .
# Node runs the TypeScript as it is; a build installs production dependencies and lays out files.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS layout
COPY . /tree
# Readable by every user, whatever the clone's umask was.
RUN node /tree/deploy/image/layout.mjs /tree /out && chmod -R a+rX /out

# Production dependencies only, without files that never run (typings, source maps, other databases' query compilers).
FROM ${NODE_IMAGE} AS installer
COPY --from=layout /out/package-manager /package-manager
RUN npm install --global --no-fund --no-audit --no-update-notifier "$(cat /package-manager)"
WORKDIR /app
COPY --from=layout /out/manifests ./
COPY --chmod=755 deploy/image/install /usr/local/bin/install-for

FROM installer AS api-gateway-modules
RUN --mount=type=cache,id=holdfast-pnpm,target=/pnpm install-for @holdfast/api-gateway
FROM installer AS dispatcher-modules
RUN --mount=type=cache,id=holdfast-pnpm,target=/pnpm install-for @holdfast/dispatcher
FROM installer AS ledger-modules
RUN --mount=type=cache,id=holdfast-pnpm,target=/pnpm install-for @holdfast/ledger
FROM installer AS webhook-sender-modules
RUN --mount=type=cache,id=holdfast-pnpm,target=/pnpm install-for @holdfast/webhook-sender
FROM installer AS sandbox-modules
RUN --mount=type=cache,id=holdfast-pnpm,target=/pnpm install-for @holdfast/sandbox
FROM installer AS migrate-modules
RUN --mount=type=cache,id=holdfast-pnpm,target=/pnpm install-for @holdfast/setup @holdfast/cli

# The Prisma client. Its CLI requires an engine although generating needs none: any executable satisfies it.
FROM installer AS prisma-client
RUN --mount=type=cache,id=holdfast-pnpm,target=/pnpm install-for @holdfast/schema
COPY --from=layout /out/schema ./
RUN PRISMA_SCHEMA_ENGINE_BINARY=/bin/true CHECKPOINT_DISABLE=1 \
    node prisma/node_modules/prisma/build/index.js generate --schema prisma/schema.prisma

# The documentation that the gateway serves. The image of the gateway holds its files, and not what builds them.
FROM installer AS documentation
RUN --mount=type=cache,id=holdfast-pnpm,target=/pnpm install-for @holdfast/docs
COPY --from=layout /out/docs ./
RUN node packages/docs/src/build.ts

# The pages of the console. What builds them stays in this stage.
FROM installer AS console
COPY --from=layout /out/console /console
COPY --from=layout /out/console-shared/packages /
RUN --mount=type=cache,id=holdfast-pnpm,target=/pnpm \
    pnpm install --dir /console --frozen-lockfile --store-dir /pnpm --config.package-import-method=copy \
      --pm-on-fail=ignore --reporter=append-only \
 && node /console/node_modules/vite/bin/vite.js build /console

FROM ${NODE_IMAGE} AS runtime
RUN apt-get update \
 && apt-get install --yes --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*
WORKDIR /app
# Memory: packages/local/src/launch/services.ts.
ENV NODE_ENV=production \
    NODE_OPTIONS="--disable-warning=ExperimentalWarning --max-semi-space-size=16" \
    MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 \
    METRICS_PORT=9464
USER 1000:1000
ENTRYPOINT ["tini", "--"]
LABEL org.opencontainers.image.vendor="Holdfast" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="docker.io/library/node:24-bookworm-slim"

FROM runtime AS service
COPY --chmod=755 deploy/image/health /usr/local/bin/
COPY --chmod=644 deploy/image/compile.mjs /usr/local/lib/
ENV NODE_COMPILE_CACHE=/var/cache/holdfast
USER 0
RUN install --directory --owner=1000 "$NODE_COMPILE_CACHE"
USER 1000:1000
EXPOSE 9464
HEALTHCHECK --start-period=60s --start-interval=1s --interval=10s --timeout=5s --retries=3 CMD ["health"]

FROM service AS api-gateway
COPY --from=api-gateway-modules /app ./
COPY --from=prisma-client /app/packages/db/src/generated packages/db/src/generated
COPY --from=layout /out/api-gateway ./
COPY --from=documentation /app/packages/docs/site packages/docs/site
COPY --from=console /console/dist packages/console/dist
RUN node /usr/local/lib/compile.mjs && chmod -R a-w "$NODE_COMPILE_CACHE"
EXPOSE 8080 8081
CMD ["node", "services/api-gateway/src/main.ts"]
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="holdfast-api-gateway" \
      org.opencontainers.image.description="Holdfast: the HTTP API" \
      org.opencontainers.image.version="${VERSION}" org.opencontainers.image.revision="${REVISION}"

FROM service AS dispatcher
COPY --from=dispatcher-modules /app ./
COPY --from=prisma-client /app/packages/db/src/generated packages/db/src/generated
COPY --from=layout /out/dispatcher ./
RUN node /usr/local/lib/compile.mjs && chmod -R a-w "$NODE_COMPILE_CACHE"
CMD ["node", "services/dispatcher/src/main.ts"]
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="holdfast-dispatcher" \
      org.opencontainers.image.description="Holdfast: runs executions at providers" \
      org.opencontainers.image.version="${VERSION}" org.opencontainers.image.revision="${REVISION}"

FROM service AS ledger
COPY --from=ledger-modules /app ./
COPY --from=prisma-client /app/packages/db/src/generated packages/db/src/generated
COPY --from=layout /out/ledger ./
ENV NODE_OPTIONS="--disable-warning=ExperimentalWarning --max-semi-space-size=2"
RUN node /usr/local/lib/compile.mjs && chmod -R a-w "$NODE_COMPILE_CACHE"
CMD ["node", "services/ledger/src/main.ts"]
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="holdfast-ledger" \
      org.opencontainers.image.description="Holdfast: settles, expires, audits" \
      org.opencontainers.image.version="${VERSION}" org.opencontainers.image.revision="${REVISION}"

FROM service AS webhook-sender
COPY --from=webhook-sender-modules /app ./
COPY --from=prisma-client /app/packages/db/src/generated packages/db/src/generated
COPY --from=layout /out/webhook-sender ./
RUN node /usr/local/lib/compile.mjs && chmod -R a-w "$NODE_COMPILE_CACHE"
CMD ["node", "services/webhook-sender/src/main.ts"]
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="holdfast-webhook-sender" \
      org.opencontainers.image.description="Holdfast: signs and delivers events" \
      org.opencontainers.image.version="${VERSION}" org.opencontainers.image.revision="${REVISION}"

FROM service AS sandbox
COPY --from=sandbox-modules /app ./
COPY --from=layout /out/sandbox ./
EXPOSE 8090
CMD ["node", "services/sandbox/src/main.ts"]
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="holdfast-sandbox" \
      org.opencontainers.image.description="Holdfast: a model server for evaluation and tests" \
      org.opencontainers.image.version="${VERSION}" org.opencontainers.image.revision="${REVISION}"

FROM runtime AS migrate
# localhost is this container, not the host: see holdfast doctor.
ENV HOLDFAST_IN_CONTAINER=true
COPY --from=migrate-modules /app ./
COPY --from=prisma-client /app/packages/db/src/generated packages/db/src/generated
COPY --from=layout /out/migrate ./
COPY --chmod=755 deploy/image/holdfast /usr/local/bin/
CMD ["node", "packages/setup/src/main.ts"]
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="holdfast-migrate" \
      org.opencontainers.image.description="Holdfast: migrations, roles, bucket, models, demo; the command holdfast" \
      org.opencontainers.image.version="${VERSION}" org.opencontainers.image.revision="${REVISION}"

FROM nginx:1.28 AS proxy
COPY --chmod=644 deploy/proxy/nginx.conf deploy/proxy/errors.conf /etc/nginx/
USER 101:101
LABEL org.opencontainers.image.title="holdfast-proxy" \
      org.opencontainers.image.description="Holdfast: nginx in front of the gateways of docker-compose.yml"
