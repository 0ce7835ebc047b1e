import { buffer } from 'node:stream/consumers';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { notFound } from '../../http/fields.ts';
import { usableModels } from '../modelNames.ts';
import { nameOf, requireNamed, versionsOf } from './names.ts';
import { onePage } from './page.ts';
import { versionRecord } from './schema.ts';

const route = '/v1/replicate/models';
const common = {
  tag: 'Replicate',
  scope: 'any',
  limit: 'other',
  responses: { 200: { description: 'The models', schema: null } },
} as const;
const named = z.object({ owner: z.string(), name: z.string() });

function modelRecord(definition: ModelDefinition, publicUrl: string) {
  const { owner, name } = nameOf(definition);
  const [latest] = versionsOf(definition);
  return {
    url: `${publicUrl}${route}/${owner}/${name}`,
    owner,
    name,
    description: definition.description ?? null,
    visibility: 'public',
    is_official: false,
    github_url: null,
    paper_url: null,
    license_url: null,
    run_count: 0,
    cover_image_url: null,
    default_example: null,
    latest_version: versionRecord(latest, definition),
  };
}

async function recordsOf(context: Context, caller: Caller, publicUrl: string) {
  return (await usableModels(context, caller)).map(({ definition }) => modelRecord(definition, publicUrl));
}

export const listReplicateModels = endpoint({
  ...common,
  method: 'GET',
  path: route,
  operationId: 'listReplicateModels',
  summary: 'List models',
  async handle({ context, caller, publicUrl }) {
    return onePage(await recordsOf(context, caller, publicUrl));
  },
});

const maxQueryBytes = 4096;

/** The query is the body: JavaScript's client sends it as JSON, Python's as it is. */
export const searchReplicateModels = endpoint({
  ...common,
  method: 'QUERY',
  path: route,
  operationId: 'searchReplicateModels',
  summary: 'Search models',
  rawBody: { bufferedBytes: maxQueryBytes, maxBytes: maxQueryBytes },
  async handle({ context, caller, body, publicUrl }) {
    const query = Buffer.isBuffer(body) ? body : await buffer(body);
    const words = query
      .toString()
      .toLowerCase()
      .split(/[\s"]+/)
      .filter((word) => word !== '');
    const matching = (await usableModels(context, caller)).filter(({ definition }) => {
      const { owner, name, description } = modelRecord(definition, publicUrl);
      const text = [`${owner}/${name}`, ...(definition.aliases ?? []), description ?? '']
        .join(' ')
        .toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return onePage(matching.map(({ definition }) => modelRecord(definition, publicUrl)));
  },
});

export const getReplicateModel = endpoint({
  ...common,
  method: 'GET',
  path: `${route}/{owner}/{name}`,
  operationId: 'getReplicateModel',
  summary: 'Read a model',
  params: named,
  async handle({ context, caller, params, publicUrl }) {
    const { definition } = await requireNamed(context, caller, params);
    return { status: 200, body: { ...modelRecord(definition, publicUrl), ...params } };
  },
});

export const listReplicateVersions = endpoint({
  ...common,
  method: 'GET',
  path: `${route}/{owner}/{name}/versions`,
  operationId: 'listReplicateVersions',
  summary: 'List the versions of a model',
  params: named,
  async handle({ context, caller, params }) {
    const { definition } = await requireNamed(context, caller, params);
    return onePage(versionsOf(definition).map((id) => versionRecord(id, definition)));
  },
});

export const getReplicateVersion = endpoint({
  ...common,
  method: 'GET',
  path: `${route}/{owner}/{name}/versions/{version}`,
  operationId: 'getReplicateVersion',
  summary: 'Read a version of a model',
  params: named.extend({ version: z.string() }),
  async handle({ context, caller, params }) {
    const { definition } = await requireNamed(context, caller, params);
    if (!versionsOf(definition).includes(params.version)) throw notFound('version');
    return { status: 200, body: versionRecord(params.version, definition) };
  },
});

/** A model is its own deployment. */
export const getReplicateDeployment = endpoint({
  ...common,
  method: 'GET',
  path: '/v1/replicate/deployments/{owner}/{name}',
  operationId: 'getReplicateDeployment',
  summary: 'Read a deployment',
  params: named,
  async handle({ context, caller, params }) {
    const { definition } = await requireNamed(context, caller, params);
    const [version] = versionsOf(definition);
    const { created_at } = versionRecord(version, definition);
    const current_release = {
      number: 1,
      model: `${params.owner}/${params.name}`,
      version,
      created_at,
      created_by: { type: 'organization', username: params.owner, name: params.owner, github_url: '' },
      configuration: { hardware: 'cpu', min_instances: 0, max_instances: 1 },
    };
    return { status: 200, body: { ...params, current_release } };
  },
});
