# syntax=docker/dockerfile:1
# One image for every program of Ordeal; what it runs is its argument:
#   docker run IMAGE services/gateway/dist/main.js

# What the programs need at run time, and nothing else: no command line, no embedded Postgres, no development packages.
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY libs/agents/package.json libs/agents/
COPY libs/embedded-cluster/package.json libs/embedded-cluster/
COPY libs/kubernetes/package.json libs/kubernetes/
COPY libs/local-servers/package.json libs/local-servers/
COPY libs/prober/package.json libs/prober/
COPY libs/renderer/package.json libs/renderer/
COPY libs/shared/package.json libs/shared/
COPY services/analysis/package.json services/analysis/
COPY services/experiment/package.json services/experiment/
COPY services/gateway/package.json services/gateway/
COPY services/hypothesis/package.json services/hypothesis/
COPY services/improvement/package.json services/improvement/
COPY cli/package.json cli/
# npm links a workspace that another one needs, but installs the dependencies of the named ones only.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
      --workspace=libs/agents --workspace=libs/embedded-cluster --workspace=libs/kubernetes \
      --workspace=libs/prober --workspace=libs/renderer --workspace=libs/shared \
      --workspace=services/analysis --workspace=services/experiment --workspace=services/gateway \
      --workspace=services/hypothesis --workspace=services/improvement

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY config config
COPY scripts scripts
COPY libs libs
COPY services services
COPY cli cli
RUN npm ci --ignore-scripts --no-audit --no-fund && node scripts/build.mjs \
    # Leaves package.json and dist of each program: the rest comes from the stage above.
    && find libs services -mindepth 2 -maxdepth 2 ! -name package.json ! -name dist \
      ! -name THIRD_PARTY_NOTICES.txt -exec rm -rf {} +

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/libs libs
COPY --from=build /app/services services
# After the build's: a package may have modules of its own below it.
COPY --from=dependencies /app ./
# The user `node` of the base image, by number so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 8080
ENTRYPOINT ["node", "--enable-source-maps"]
CMD ["services/gateway/dist/main.js"]
