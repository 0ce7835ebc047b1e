import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { PricedInput } from '@holdfast/domain/quantities';
import { readArguments, UsageError, wholeNumber } from '@holdfast/kit/flags';
import type { Connection } from '@holdfast/providers/connection';
import { connectionConfig, missingSetting } from '@holdfast/providers/connectionConfig';
import type { Submission } from '@holdfast/providers/interface';
import { createProviders } from '@holdfast/providers/registry';
import type { Context } from '../command.ts';
import { exitCodes } from '../errors.ts';
import { interruptible } from '../terminal.ts';
import { withoutSecrets } from './providerText.ts';
import { findModel } from './source.ts';
import { pricedInput, testInput } from './trial/input.ts';
import { reportLines } from './trial/report.ts';
import { runOnce } from './trial/run.ts';
import { testSubmission } from './trial/submission.ts';

/** 0: it succeeded; 1: it failed or was stopped; 3: it was not accepted by the provider. */
export async function modelsTest(args: string[], context: Context): Promise<number> {
  const { slug, values } = read(args);
  const model = await findModel(slug, values.models, context);
  if (model === null) return 1;
  const { definition } = model;
  const connections = connectionConfig(context.providerEnvironment());
  const route = chosenRoute(definition, values.provider, connections);
  const missing = missingSetting(route, connections);
  if (missing !== null) {
    context.report(`holdfast: ${slug} can't be run at ${route.connection}: ${missing} is not set`);
    return exitCodes.notRun;
  }
  const input = testInput(definition, values.input);
  const { timeout } = values;
  const timeoutS =
    timeout === undefined ? definition.timeout_s : wholeNumber('--timeout', timeout, { max: 86_400 });
  const submission = testSubmission(definition, route, input, timeoutS * 1000);
  const priced = await pricedInput(input);
  return await runTrial(context, { definition, route, connections, submission, priced });
}

const options = {
  input: { type: 'string' },
  provider: { type: 'string' },
  timeout: { type: 'string' },
  models: { type: 'string' },
} as const;

function read(args: string[]) {
  const { positionals, values } = readArguments(args, options);
  const [slug, ...rest] = positionals;
  if (slug === undefined || rest.length > 0) throw new UsageError('holdfast models test takes one slug');
  return { slug, values };
}

/** The named provider's route, else the first configured one, else the first. */
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

type Trial = {
  definition: ModelDefinition;
  route: ProviderRoute;
  connections: Record<string, Connection>;
  submission: Submission;
  priced: PricedInput;
};

async function runTrial(
  output: Context,
  { definition, route, connections, submission, priced }: Trial,
): Promise<number> {
  const clean = (line: string) => withoutSecrets(line, connections[route.connection]);
  const print = (line: string) => output.print(clean(line));
  const report = (line: string) => output.report(clean(line));
  const providers = createProviders(connections);
  try {
    const provider = providers.find(route);
    if (provider === null) throw new Error(`there is no adapter ${route.adapter}`);
    report(`${definition.slug} at ${route.connection}, as ${route.model}; no balance is charged`);
    const startedMs = performance.now();
    const end = await interruptible((signal) => runOnce(provider, submission, signal, report));
    const tookMs = performance.now() - startedMs;
    for (const line of reportLines(definition, priced, end, tookMs)) print(line);
    if (end.state === 'refused') return exitCodes.notRun;
    return end.state === 'ended' && end.outcome.ok ? 0 : 1;
  } finally {
    providers.close();
  }
}
