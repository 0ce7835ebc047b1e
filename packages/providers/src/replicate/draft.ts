import { isObject } from '@holdfast/domain/inputFiles';
import { isNumber } from '@holdfast/domain/json';
import { schemasOf } from '../cog/draft.ts';
import { type Connection, connect } from '../connection.ts';
import { DraftError, fetchJson, type ModelDraft } from '../drafts/draft.ts';

/** The model `owner/name` at Replicate, from its latest version. @throws DraftError */
export async function replicateDraft(
  connection: Connection,
  connectionName: string,
  name: string,
): Promise<ModelDraft> {
  if (!/^[\w.-]+\/[\w.-]+$/.test(name)) throw new DraftError('a model of Replicate is named owner/name');
  const http = connect(connection);
  try {
    const model = await fetchJson(http, `/models/${name}`, `model ${name}`);
    const { latest_version: version, default_example: example, description } = model;
    if (!isObject(version)) throw new DraftError(`${name} has no version that could be run`);
    const run = isObject(example) ? example : {};
    const aliases = [name, ...(typeof version['id'] === 'string' ? [`${name}:${version['id']}`] : [])];
    const described = schemasOf(version['openapi_schema'], run);
    return {
      ...described,
      source: `Replicate's description of ${name}`,
      name,
      description: typeof description === 'string' ? description : null,
      aliases,
      // An official model has no versions to choose; another is pinned, or it would change without notice.
      provider: {
        adapter: 'replicate',
        connection: connectionName,
        model: model['is_official'] === true ? name : (aliases[1] ?? name),
        mode: 'callback',
      },
      price: null,
      priceNote: `Replicate's API shows no prices: see https://replicate.com/${name}.`,
      estimate: estimateOf(run, described.input.schema),
    };
  } finally {
    http.close();
  }
}

function estimateOf({ metrics }: Record<string, unknown>, schema: Record<string, unknown>) {
  const seconds = isObject(metrics) ? metrics['predict_time'] : undefined;
  const count = Object.keys(Object(schema['properties'])).find((name) => name === 'num_outputs');
  return {
    ...(isNumber(seconds) && { seconds: Math.max(1, Math.ceil(Number(seconds))) }),
    ...(count !== undefined && { images: { input: count, default: 1 } }),
  };
}
