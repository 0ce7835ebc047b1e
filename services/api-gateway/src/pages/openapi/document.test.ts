import { batchEventTypes, endpointEventTypes, eventTypes } from '@holdfast/domain/events';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { oas31 } from 'zod-openapi';
import { endpoints } from '../../app.ts';
import { createApiDocument } from './document.ts';
import { operationsOf, requestContent, responsesOf } from './operations.ts';
import { resolved } from './samples.ts';

const document = createApiDocument(endpoints);
const schemas = document.components?.schemas ?? {};
const operations = operationsOf(document);

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'api');

function problemsOf(media: oas31.MediaTypeObject | undefined): unknown {
  const schema = JSON.parse(JSON.stringify(media?.schema ?? {}).replaceAll('"#/', '"api#/'));
  const validate = ajv.compile(schema);
  return validate(media?.example) ? [] : validate.errors;
}

/** Schemas of objects without a name of their own, by their pointers. */
function namelessIn(
  given: oas31.SchemaObject | oas31.ReferenceObject,
  at: string,
  isNamed = false,
): string[] {
  if ('$ref' in given) return [];
  const schema = given;
  const inner = Object.entries(schema.properties ?? {}).map(([name, one]) => [`${at}.${name}`, one] as const);
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const others = [...choices, ...(schema.items ? [schema.items] : [])].map((one) => [at, one] as const);
  const here = schema.type === 'object' && !isNamed && schema.oneOf === undefined ? [at] : [];
  return [...here, ...[...inner, ...others].flatMap(([pointer, one]) => namelessIn(one, pointer))];
}

describe('the OpenAPI document', () => {
  it('names operations after resources, once each', () => {
    const names = operations.map(({ operation }) => operation.operationId ?? '');
    expect(names).toEqual(expect.arrayContaining(['createExecution', 'rotateWebhookEndpointSecret']));
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)+$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('names every object, so that no generator makes up a name that clashes', () => {
    const found = Object.entries(schemas).flatMap(([name, schema]) => namelessIn(schema, name, true));
    const bodies = operations.flatMap(({ operation }) => [
      requestContent(operation)?.schema ?? {},
      ...responsesOf(document, operation).map(
        ({ response }) => response.content?.['application/json']?.schema ?? {},
      ),
    ]);
    expect([...found, ...bodies.flatMap((body) => namelessIn(body, 'body'))]).toEqual([]);
    expect(Object.keys(schemas).filter((name) => name.endsWith('Output'))).toEqual(['ExecutionOutput']);
  });

  it('has examples that match their schemas', () => {
    const bodies = operations.flatMap(({ path, operation }) => [
      [`request ${path}`, requestContent(operation)] as const,
      ...responsesOf(document, operation).map(
        ({ status, response }) => [`${status} ${path}`, response.content?.['application/json']] as const,
      ),
    ]);
    const given = bodies.filter(([, media]) => media?.example !== undefined);
    expect(given.length).toBeGreaterThan(200);
    expect(given.map(([at, media]) => [at, problemsOf(media)])).toEqual(given.map(([at]) => [at, []]));
  });

  it('has examples of requests that endpoints accept', () => {
    const checked = endpoints.flatMap(({ operationId, body }) => {
      const item = operations.find(({ operation }) => operation.operationId === operationId);
      const media = item && requestContent(item.operation);
      return body && media ? [[operationId, body.safeParse(media.example).error?.issues]] : [];
    });
    expect(checked.length).toBeGreaterThan(6);
    expect(checked.filter(([, issues]) => issues !== undefined)).toEqual([]);
  });

  it('requires in a request only what a client has to send', () => {
    const required = (name: string) => resolved(schemas[name] ?? {}, schemas).required;
    expect(required('WebhookEndpointRequest')).toEqual(['url']);
    expect(required('DeclaredUpload')).toEqual(['filename', 'size_bytes']);
    expect(required('DerivedUpload')).toEqual(['purpose']);
    const { properties = {} } = schemas['WebhookEndpointRequest'] as oas31.SchemaObject;
    expect(properties['events']).toMatchObject({ description: expect.stringMatching(/ Default: `\[\]`$/) });
    expect(JSON.stringify(properties)).not.toContain('"default"');
  });

  it('closes the objects of requests and opens those of responses', () => {
    expect(schemas['CreateExecution']).toMatchObject({ additionalProperties: false });
    expect(schemas['Execution']).not.toHaveProperty('additionalProperties');
  });

  it('lists the accepted types of uploads', () => {
    const { properties = {} } = schemas['DeclaredUpload'] as oas31.SchemaObject;
    expect((properties['content_type'] as oas31.SchemaObject).enum).toContain('image/png');
  });

  it('distinguishes every event by its type', () => {
    const { discriminator, oneOf = [] } = schemas['Event'] as oas31.SchemaObject;
    const { propertyName, mapping } = discriminator as { propertyName: string; mapping: object };
    expect(propertyName).toBe('type');
    expect(Object.keys(mapping)).toEqual([
      ...eventTypes,
      ...endpointEventTypes,
      ...batchEventTypes,
      'webhook.test',
    ]);
    expect(Object.values(mapping)).toEqual(oneOf.map((one) => ('$ref' in one ? one.$ref : null)));
    for (const [type, reference] of Object.entries(mapping)) {
      const { properties = {} } = resolved({ $ref: String(reference) }, schemas);
      expect(properties['type']).toMatchObject({ const: type });
    }
  });

  it('describes every tag and operation, and gives the pattern of an Idempotency-Key', () => {
    expect(document.tags?.filter(({ description }) => !description)).toEqual([]);
    const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []));
    expect([...used]).toEqual(document.tags?.map(({ name }) => name));
    expect(operations.filter(({ operation }) => !operation.description)).toEqual([]);
    const create = operations.find(({ operation }) => operation.operationId === 'createExecution');
    const parameters = create?.operation.parameters as oas31.ParameterObject[];
    const key = parameters.find(({ name }) => name === 'Idempotency-Key');
    expect(key?.schema).toMatchObject({ pattern: '^[ -~]{1,255}$' });
  });

  it('gives the default of each number in a query', () => {
    const parameters = operations.flatMap(({ operation }) => operation.parameters as oas31.ParameterObject[]);
    const numbers = parameters.filter(
      ({ schema }) => schema && 'type' in schema && schema.type === 'integer',
    );
    expect(numbers.length).toBeGreaterThan(5);
    for (const { schema } of numbers) expect(schema).toHaveProperty('default', expect.any(Number));
  });

  it('links responses to operations that exist', () => {
    const ids = new Set(operations.map(({ operation }) => operation.operationId));
    const links = operations.flatMap(({ operation }) =>
      responsesOf(document, operation).flatMap(({ response }) => Object.values(response.links ?? {})),
    );
    expect(links.length).toBeGreaterThan(6);
    expect(links.filter((link) => !ids.has((link as oas31.LinkObject).operationId))).toEqual([]);
  });
});
