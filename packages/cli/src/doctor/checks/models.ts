import { type CatalogueModel, openModelCatalogue } from '@holdfast/db/models/cache';
import { adapters } from '@holdfast/domain/modelRoute';
import { checkConnection } from '@holdfast/providers/check';
import type { Connection } from '@holdfast/providers/connection';
import { connectionConfig, connectionProblems, keyVariable } from '@holdfast/providers/connectionConfig';
import type { Context } from '../../command.ts';
import { missingSettings, whyNotOffered } from '../../models/offer.ts';
import type { Check, Finding } from '../finding.ts';

const catalogue = (context: Context) => openModelCatalogue(context.openDatabase()).list();

export const modelsCheck: Check = {
  check: 'models',
  mend: 'holdfast models apply',
  async look(context) {
    const connections = connectionConfig(context.providerEnvironment());
    const models = await catalogue(context);
    const why = models.flatMap((model) => whyNotOffered(model, connections) ?? []);
    const offered = models.length - why.length;
    const reasons = [...Map.groupBy(why, (reason) => reason)].map(
      ([reason, all]) => `${all.length}: ${reason}`,
    );
    const found = `${offered} of ${models.length} are offered${reasons.length > 0 ? ` (not: ${reasons.join('; ')})` : ''}`;
    const mend = 'set what is missing for setup and dispatcher, then holdfast models apply';
    const findings: Finding[] = [
      offered > 0 ? { state: 'ok', check: 'models', found } : { state: 'fail', check: 'models', found, mend },
    ];
    const unreachable = models.filter((model) => model.isActive && isUnset(model, connections));
    if (unreachable.length > 0 && Object.keys(connections).length > 0) {
      const slugs = unreachable.map(({ definition }) => definition.slug).join(', ');
      findings.push({
        state: 'warn',
        check: 'models',
        found: `offered, without a connection here: ${slugs}`,
        mend,
      });
    }
    return findings;
  },
};

const isUnset = ({ definition }: CatalogueModel, connections: Record<string, Connection>) =>
  missingSettings(definition, connections) !== null;

export const providersCheck: Check = {
  check: 'providers',
  mend: 'is DATABASE_URL right? The catalogue says who speaks how',
  async look(context) {
    const environment = context.providerEnvironment();
    const connections = Object.entries(connectionConfig(environment));
    const problems = connectionProblems(environment).map((found) =>
      fail('providers', found, 'correct its URL'),
    );
    if (connections.length === 0 && problems.length === 0)
      return [
        { state: 'skipped', check: 'providers', found: 'no connection is set here, as OPENAI_API_KEY would' },
      ];
    const routes = (await catalogue(context)).flatMap(({ definition }) => definition.providers);
    const asked = connections.map(([name, connection]) => {
      const route = routes.find(({ connection: its }) => its === name);
      // The hosted providers are called as their protocols are.
      const adapter = route?.adapter ?? adapters.find((one) => one === name) ?? null;
      return providerFinding(name, connection, adapter);
    });
    return [...problems, ...(await Promise.all(asked))];
  },
};

async function providerFinding(
  name: string,
  connection: Connection,
  adapter: Parameters<typeof checkConnection>[0],
): Promise<Finding> {
  const check = `provider ${name}`;
  const { host } = new URL(connection.baseUrl);
  const { unreached, isKeyAccepted, status } = await checkConnection(adapter, connection);
  const variable = name.toUpperCase();
  if (unreached !== null)
    return fail(check, `${host} is not reached: ${unreached}`, `is it up, and ${variable}_BASE_URL right?`);
  if (isKeyAccepted === false)
    return fail(
      check,
      `${host} refuses the key (${status})`,
      `set ${keyVariable(name)} to a key that is valid, and restart the dispatcher`,
    );
  const key = isKeyAccepted === true ? 'takes the key' : 'answers; whether it takes the key is not asked';
  return { state: 'ok', check, found: `${host} ${key}` };
}

const fail = (check: string, found: string, mend: string): Finding => ({ state: 'fail', check, found, mend });
