import { parseArgs } from 'node:util';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Connection } from '@holdfast/providers/connection';
import { connectionConfig, missingSetting } from '@holdfast/providers/connectionConfig';
import { createProviders } from '@holdfast/providers/registry';
import type { Context } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { readArguments } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { UsageError } from '../usageError.ts';
import { findModel } from './source.ts';
import { cleaned } from './test/cleaned.ts';
import { testInput } from './test/input.ts';
import { reportLines } from './test/report.ts';
import { runOnce } from './test/runOnce.ts';
import { testSubmission } from './test/submission.ts';

/** 0: it succeeded; 1: it failed, or was stopped; 3: the provider could not be asked. */
export async function modelsTest(args: string[], context: Context): Promise<number> {
  const { slug, values } = read(args);
  const model = await findModel(slug, values.models, context);
  if (model === null) return 1;
  const { definition } = model;
  const connections = connectionConfig(context.providerEnvironment());
  const route = chosenRoute(definition, values.provider, connections);
  const missing = missingSetting(route, connections);
  if (missing !== null) {
    context.tell(`holdfast: ${slug} can't be asked at ${route.connection}: ${missing} is not set`);
    return exitCodes.notRun;
  }
  const input = testInput(definition, values.input);
  const timeoutMs = (secondsOf(values.timeout) ?? definition.timeout_s) * 1000;
  return await ask(
    context,
    definition,
    route,
    connections,
    testSubmission(definition, route, input, timeoutMs),
  );
}

const options = {
  input: { type: 'string' },
  provider: { type: 'string' },
  timeout: { type: 'string' },
  models: { type: 'string' },
} as const;

function read(args: string[]) {
  const { positionals, values } = readArguments(() => parseArgs({ args, allowPositionals: true, options }));
  const [slug, ...rest] = positionals;
  if (slug === undefined || rest.length > 0) throw new UsageError('holdfast models test takes one slug');
  return { slug, values };
}

function secondsOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= 86_400) return seconds;
  throw new UsageError('--timeout needs a number of seconds from 1 to 86400');
}

/** The one that was named, else the first that is configured, else the first. */
function chosenRoute(
  { slug, providers }: ModelDefinition,
  named: string | undefined,
  connections: Record<string, Connection>,
): ProviderRoute {
  const candidates = providers.filter(({ connection }) => named === undefined || connection === named);
  const route = candidates.find((one) => missingSetting(one, connections) === null) ?? candidates[0];
  if (route) return route;
  const known = providers.map(({ connection }) => connection).join(', ');
  throw new UsageError(`${slug} has no provider "${named}": it has ${known}`);
}

async function ask(
  output: Context,
  definition: ModelDefinition,
  route: ProviderRoute,
  connections: Record<string, Connection>,
  submission: ReturnType<typeof testSubmission>,
): Promise<number> {
  const clean = (line: string) => cleaned(line, connections[route.connection]);
  const say = (line: string) => output.say(clean(line));
  const tell = (line: string) => output.tell(clean(line));
  const providers = createProviders(connections);
  try {
    const provider = providers.find(route);
    if (provider === null) throw new Error(`nobody here speaks ${route.adapter}`);
    tell(`${definition.slug} at ${route.connection}, as ${route.model}; no balance is touched`);
    const startedMs = performance.now();
    const end = await interruptible((signal) => runOnce(provider, submission, signal, tell));
    for (const line of reportLines(definition, end, performance.now() - startedMs)) say(line);
    if (end.state === 'refused') return exitCodes.notRun;
    return end.state === 'ended' && end.outcome.ok ? 0 : 1;
  } finally {
    providers.close();
  }
}
