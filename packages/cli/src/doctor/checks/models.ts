import { type OfferedModel, openModelCatalogue } from '@holdfast/db/models';
import { adapters } from '@holdfast/domain/modelRoute';
import { type CheckedRoute, checkConnection } from '@holdfast/providers/check';
import type { Connection } from '@holdfast/providers/connection';
import {
  connectionConfig,
  connectionProblems,
  keyVariable,
  missingSettings,
} from '@holdfast/providers/connectionConfig';
import type { Context } from '../../command.ts';
import { whyNotOffered } from '../../models/offers.ts';
import { withoutSecrets } from '../../models/providerText.ts';
import { type Check, type Finding } from '../findings.ts';

/** Characters shown of a provider's text. */
const maxTextLength = 300;

const catalogue = async (context: Context) => openModelCatalogue(await context.openDatabase()).list();

export const modelsCheck: Check = {
  check: 'models',
  fix: 'holdfast models apply',
  runbook: 'doctor#models',
  async run(context) {
    const connections = connectionConfig(context.providerEnvironment());
    const models = await catalogue(context);
    const why = models.flatMap((model) => whyNotOffered(model, connections) ?? []);
    const offered = models.length - why.length;
    const reasons = [...Map.groupBy(why, (reason) => reason)].map(
      ([reason, all]) => `${all.length}: ${reason}`,
    );
    const found = `${offered} of ${models.length} are offered${reasons.length > 0 ? ` (not: ${reasons.join('; ')})` : ''}`;
    const fix = 'set what is missing for setup and dispatcher, then holdfast models apply';
    const findings: Finding[] = [
      offered > 0 ? { state: 'ok', check: 'models', found } : { state: 'error', check: 'models', found, fix },
    ];
    const unreachable = models.filter((model) => model.isActive && isUnset(model, connections));
    if (unreachable.length > 0 && Object.keys(connections).length > 0) {
      const slugs = unreachable.map(({ definition }) => definition.slug).join(', ');
      findings.push({
        state: 'warning',
        check: 'models',
        found: `offered, but without a connection here: ${slugs}`,
        fix,
      });
    }
    return findings;
  },
};

const isUnset = ({ definition }: OfferedModel, connections: Record<string, Connection>) =>
  missingSettings(definition.providers, connections) !== null;

export const providersCheck: Check = {
  check: 'providers',
  fix: 'is DATABASE_URL right? The catalogue has the adapter of each provider',
  runbook: 'HoldfastProviderNeedsOperator',
  async run(context) {
    const environment = context.providerEnvironment();
    const connections = Object.entries(connectionConfig(environment));
    const problems = connectionProblems(environment).map((found) =>
      fail('providers', found, 'correct its URL'),
    );
    if (connections.length === 0 && problems.length === 0)
      return [
        {
          state: 'skipped',
          check: 'providers',
          found: 'no connection is configured here, for example by OPENAI_API_KEY',
        },
      ];
    const models = await catalogue(context);
    const routesOf = (some: OfferedModel[]) => some.flatMap(({ definition }) => definition.providers);
    const routes = routesOf(models);
    const kept = routesOf(models.filter(({ definition }) => definition.active));
    const checks = connections.map(([name, connection]) => {
      const isOwn = (route: { connection: string }) => route.connection === name;
      // Hosted providers have the names of their adapters.
      const adapter = adapters.find((one) => one === name);
      const route = routes.find(isOwn) ?? (adapter ? { adapter } : null);
      const names = new Set(kept.filter(isOwn).map(({ model }) => model));
      return providerFindings(name, connection, route, names);
    });
    return [...problems, ...(await Promise.all(checks)).flat()];
  },
};

async function providerFindings(
  name: string,
  connection: Connection,
  route: CheckedRoute | null,
  models: ReadonlySet<string>,
): Promise<Finding[]> {
  const check = `provider ${name}`;
  const { host } = new URL(connection.baseUrl);
  const checked = await checkConnection(route, connection);
  const variable = name.toUpperCase();
  if (checked.unreached !== null)
    return [
      fail(check, `cannot reach ${host}: ${checked.unreached}`, `is it up, and ${variable}_BASE_URL right?`),
    ];
  const text = shortened(withoutSecrets(checked.said, connection));
  const keyFix = `set ${keyVariable(name)} to a key that is valid, and restart the dispatcher`;
  if (checked.key === 'refused') return [fail(check, `${host} refuses the key: ${text}`, keyFix)];
  if (checked.key === 'unclear')
    return [
      fail(
        check,
        `${host} does not accept a harmless request: ${text}`,
        `is ${variable}_BASE_URL right? Or ${keyFix}`,
      ),
    ];
  if (checked.problem !== null)
    return [
      fail(check, `${host}: ${checked.problem}`, 'restart the container; its log says what went wrong'),
    ];
  const key = checked.key === 'accepted' ? 'accepts the key' : 'responds; the key cannot be checked';
  return [{ state: 'ok', check, found: `${host} ${key}` }, ...unlisted(check, host, checked.models, models)];
}

/** Models of the catalogue that their provider does not list. Some servers list models with a tag. */
function unlisted(
  check: string,
  host: string,
  listed: string[] | null,
  models: ReadonlySet<string>,
): Finding[] {
  const missing = [...models].filter(
    (model) => listed && !listed.some((one) => one.split(':')[0] === model || one === model),
  );
  if (missing.length === 0) return [];
  const found = `${host} does not list ${missing.join(', ')}`;
  return [
    {
      state: 'warning',
      check,
      found,
      fix: "correct the model's name in its YAML, then holdfast models apply",
    },
  ];
}

const shortened = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxTextLength ? `${line.slice(0, maxTextLength)}…` : line;
};

const fail = (check: string, found: string, fix: string): Finding => ({ state: 'error', check, found, fix });
