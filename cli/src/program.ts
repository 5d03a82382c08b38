import { Command, CommanderError, type Option } from 'commander'
import { coerceError, decisionSchema, OrdealError } from '@ordeal/shared'
import { type ApproveArguments } from './approve/approve.command.js'
import { readCliConfig } from './config.js'
import {
  addCycleOptions,
  addInputOptions,
  collect,
  type CycleArguments,
  cycleOptionsOf,
  type InputArguments,
  projectOptionsOf,
  wholeNumber,
} from './cycle-arguments.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { type Host } from './host.js'
import { type InspectionForm } from './inspect/inspect.command.js'
import { customResource, tenantName } from './pool/pool-arguments.js'
import { type PoolArguments } from './pool/pool.command.js'
import { type UpArguments } from './up/up.command.js'
import { processTerminal } from './terminal/terminal.js'
import { version } from './version.js'

const EXAMPLES = `
Examples:
  ordeal run examples/nginx                       put an application to the test on the embedded cluster
  ordeal run . --out ../results --json            for machines: results.json on stdout, progress on stderr
  ordeal run app.yaml --no-improve                a gate: exit 2 when the manifests do not hold as they are
  ordeal run shop --cluster staging --deadline 1h on a real cluster with Chaos Mesh
  ordeal plan shop                                what would be hit and checked; nothing is injected
  ordeal inspect shop                             graph, entry points and weaknesses, from the manifests alone
  ordeal up                                       keep the services running; later runs start in no time
  ordeal run shop --approve all                   ask before a hypothesis is tested and a patch deployed
  ordeal pool acme --namespaces 4                 rights on a shared cluster, for kubectl apply
  ordeal cluster                                  an embedded cluster for kubectl

Exit codes: 0 resilient or improved · 1 usage or tool error · 2 vulnerable · 3 inconclusive · 130 cancelled`

interface OutputArguments {
  readonly out: string
  readonly json?: boolean
  readonly failOn?: 'refuted'
}

function buildProgram(host: Host, end: (code: ExitCode) => void): Command {
  const program = new Command('ordeal')
    .description('Puts a Kubernetes application through an ordeal and hands back manifests that survive it.')
    .version(version, '-V, --version')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('Run with --help for all options and examples.')
    .configureOutput({
      writeOut: (text) => host.terminal.out.write(text),
      writeErr: (text) => host.terminal.err.write(text),
    })
    .exitOverride()

  addCycleOptions(
    program.command('run').description('walk a whole cycle: hypothesis, experiment, verdict, improvement'),
  )
    .addOption(
      program
        .createOption('--fail-on <verdict>', 'exit 2 when r0 is refuted, even if a change mends it')
        .choices(['refuted']),
    )
    .option('--out <dir>', 'directory of the results', 'ordeal-out')
    .option('--json', 'print results.json to stdout, the summary to stderr')
    .action(async (paths: string[], args: CycleArguments & OutputArguments) => {
      const { run } = await import('./run/run.command.js')
      const cycle = cycleOptionsOf(args, paths)
      end(await run({ paths, cycle, out: args.out, json: args.json ?? false, failOn: args.failOn ?? null }, host))
    })

  addCycleOptions(
    program.command('plan').description('show what would be hit and checked, or why not; nothing is injected'),
  )
    .option('--json', 'print the plan as JSON')
    .action(async (paths: string[], args: CycleArguments & { json?: boolean }) => {
      const { plan } = await import('./plan/plan.command.js')
      end(await plan({ paths, cycle: cycleOptionsOf(args, paths), json: args.json ?? false }, host))
    })

  addApprove(program, host, end)
  addInspect(program, host, end)
  addReplay(program, host, end)

  program
    .command('up')
    .description('start all services and stay; `ordeal run` uses them')
    .option('--processes', 'each service, and the embedded cluster, as a process of its own that is kept running')
    .option('--replicas <n>', 'how many of each service, with --processes', wholeNumber(1, 20), 1)
    .action(async (args: UpArguments) => {
      const { up } = await import('./up/up.command.js')
      end(await up(args, host))
    })

  program
    .command('cluster')
    .description('start an embedded cluster for kubectl, at wall speed')
    .option('--seed <n>', 'seed of its random streams', wholeNumber(0, Number.MAX_SAFE_INTEGER), 1)
    .option('--port <n>', 'port of its API server; 0 takes any free one', wholeNumber(0, 65_535), 0)
    .action(async (args: { seed: number; port: number }) => {
      const { cluster } = await import('./cluster/cluster.command.js')
      end(await cluster(args, host))
    })

  program
    .command('pool')
    .description('print an account, its rights and a pool of namespaces for a tenant, for kubectl apply')
    .argument(
      '<tenant>',
      'who the pool is for; its namespaces are ordeal-home-TENANT and ordeal-pool-TENANT-…',
      tenantName,
    )
    .option('--namespaces <n>', 'how many cycles at once', wholeNumber(1, 100), 2)
    .option(
      '--custom <resource.group>',
      'custom resources of its applications (repeat for several)',
      customResource,
      [],
    )
    .option('--chaos-namespace <name>', 'where Chaos Mesh is installed', 'chaos-mesh')
    .action(async (tenant: string, args: Omit<PoolArguments, 'tenant'>) => {
      const { pool } = await import('./pool/pool.command.js')
      end(await pool({ tenant, ...args }, host))
    })
  return program
}

const INSPECT_EXAMPLES = `
Prints one of the forms: text for people, or what --json, --sarif, --dot or --svg ask for.
  ordeal inspect shop --svg > shop.svg            a picture of who calls whom`

function addReplay(program: Command, host: Host, end: (code: ExitCode) => void): void {
  program
    .command('replay')
    .description('run a cycle again with the recorded answers of its models: the same decisions, without a model')
    .argument('<dir>', 'results of `ordeal run`')
    .argument('[path]', 'the manifests, where they need their real credentials; else those that were recorded')
    .option('--out <dir>', 'directory of the results', 'ordeal-replay')
    .option('--json', 'print results.json to stdout, the summary to stderr')
    .action(async (dir: string, path: string | undefined, args: { out: string; json?: boolean }) => {
      const { replay } = await import('./replay/replay.command.js')
      end(await replay({ dir, path: path ?? null, out: args.out, json: args.json ?? false }, host))
    })
  program
    .command('explain')
    .description('show what an agent was asked, its answers, repairs and cost; without one, a line for each')
    .argument('<dir>', 'results of `ordeal run`')
    .argument('[agent]', 'name of an agent, such as diagnosis')
    .action(async (dir: string, agent: string | undefined) => {
      const { explain } = await import('./replay/explain.command.js')
      end(await explain(dir, agent ?? null, host))
    })
}

function addApprove(program: Command, host: Host, end: (code: ExitCode) => void): void {
  program
    .command('approve')
    .description('answer what a cycle asks; without a decision it is asked for, or what is open is shown')
    .argument('<cycle>', 'id of the cycle')
    .addOption(program.createOption('--decision <decision>', 'the answer').choices(decisionSchema.options))
    .option('--message <text>', 'what is to be different, for revise; else why')
    .option('--file <file>', 'JSON or YAML, for replace')
    .option('--proposal <id>', 'which proposal, where several are open')
    .option('--json', 'print what is open, with the form of a replacement')
    .action(async (cycle: string, args: ApproveArguments) => {
      const { approve } = await import('./approve/approve.command.js')
      end(await approve(cycle, args, host))
    })
}

type InspectArguments = InputArguments & { readonly around: string[] } & Partial<Record<InspectionForm, boolean>>

function addInspect(program: Command, host: Host, end: (code: ExitCode) => void): void {
  const form = (name: string, description: string): Option => {
    const others = ['json', 'sarif', 'dot', 'svg'].filter((other) => other !== name)
    return program.createOption(`--${name}`, description).conflicts(others)
  }
  addInputOptions(
    program
      .command('inspect')
      .description('show the graph, the entry points and the weaknesses that the manifests show; no cluster'),
  )
    .option(
      '--around <object>',
      'only what a question about Kind/name needs (repeat for several)',
      collect('The object'),
      [],
    )
    .addOption(form('json', 'print everything as JSON'))
    .addOption(form('sarif', 'print the weaknesses as SARIF 2.1.0, for code scanning'))
    .addOption(form('dot', 'print the graph in the DOT language'))
    .addOption(form('svg', 'print a picture of the graph'))
    .addHelpText('after', INSPECT_EXAMPLES)
    .action(async (paths: string[], args: InspectArguments) => {
      const { inspect, inspectionForms } = await import('./inspect/inspect.command.js')
      const wanted = inspectionForms.find((name) => args[name]) ?? 'text'
      const { around } = args
      end(await inspect({ paths, project: projectOptionsOf(args, paths), around, form: wanted }, host))
    })
}

function report(thrown: unknown, { terminal, config }: Host): ExitCode {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.good : EXIT.error
  const error = coerceError(thrown)
  const expected = error instanceof OrdealError
  terminal.err.write(`${terminal.err.style('red', 'error:')} ${expected ? '' : 'unexpected: '}${error.message}\n`)
  if (!expected && config.logLevel === 'debug') terminal.err.write(`${error.stack}\n`)
  return EXIT.error
}

/** Runs one command line and answers with its exit code. It throws nothing: errors are written to stderr. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  const config = readCliConfig()
  const host: Host = { config, terminal: processTerminal(config) }
  let code: ExitCode = EXIT.good
  try {
    await buildProgram(host, (ended) => (code = ended)).parseAsync([...argv])
    return code
  } catch (error) {
    return report(error, host)
  }
}
