/**
 * Which part may know which. `npm run check:dependencies`.
 *
 * Cross-package imports resolve through node_modules to a package's dist; the rules name both, src and dist.
 */
const own = (name, driver, place) => ({
  name: `only-one-place-imports-${name}`,
  comment: `${driver} is spoken to in one place, so that it can be replaced, mocked and reasoned about there.`,
  severity: 'error',
  from: { path: '^(libs|services|cli)/', pathNot: [`^${place}`, '\\.spec\\.ts$', '/testing/'] },
  to: { path: `node_modules/${driver}` },
})

/** Drivers: whatever talks to the world outside of the process. */
const DRIVERS = '(@nats-io|pg|@kubernetes|openai|@nestjs|fastify|express)'

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'services-stand-alone',
      comment: 'Services talk by events and share contracts in libs only.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'libs-know-no-service',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(services|cli)/' },
    },
    {
      name: 'nobody-imports-the-command-line',
      severity: 'error',
      from: { path: '^(libs|services|tests|bench)/' },
      to: { path: '^cli/' },
    },
    {
      name: 'shared-knows-no-library',
      comment: 'It is below all others.',
      severity: 'error',
      from: { path: '^libs/shared/' },
      to: { path: '^libs/', pathNot: '^libs/shared/' },
    },
    own('nats', '@nats-io/', 'libs/shared/src/messaging/'),
    own('postgres', 'pg/', 'libs/shared/src/store/'),
    own('kubernetes', '@kubernetes/client-node/', 'libs/kubernetes/src/cluster/'),
    own('the-model-client', 'openai/', 'libs/agents/'),
    {
      name: 'pure-libraries-import-no-driver',
      comment: 'What an artefact, a graph, a patch or an agent is does not depend on how anything is reached.',
      severity: 'error',
      from: {
        path: [
          '^libs/shared/src/(artefacts|events)/',
          '^libs/kubernetes/src/(input|graph|findings|patch|redaction)/',
          '^libs/prober/src/[^/]+\\.ts$',
          '^libs/embedded-cluster/src/(kernel|store|controllers|kubelet|traffic|chaos|images)/',
        ],
        pathNot: '\\.spec\\.ts$',
      },
      to: { path: `node_modules/${DRIVERS}` },
    },
    {
      name: 'no-undeclared-package',
      comment: 'It works by hoisting only, until it does not.',
      severity: 'error',
      from: { path: '^(libs|services|cli)/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-development-package-at-run-time',
      severity: 'error',
      from: { path: '^(libs|services|cli)/', pathNot: ['\\.spec\\.ts$', '/testing/'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'] },
    },
    {
      name: 'no-unresolvable-import',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-test-code-at-run-time',
      severity: 'error',
      from: { pathNot: ['\\.spec\\.ts$', '^tests/', '/testing/'] },
      to: { path: ['\\.spec\\.ts$', '^tests/'] },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/dist/.*\\.map$', '\\.tsbuildinfo$'] },
    tsPreCompilationDeps: 'specify',
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
}
