import type { oas31 } from 'zod-openapi';
import { ndjsonType } from '../../http/ndjson.ts';
import type { ApiDocument } from './document.ts';

export const methods = ['post', 'get', 'patch', 'delete'] as const;

/** `isEvent`: a webhook that clients receive, not an endpoint. */
export type Operation = {
  method: (typeof methods)[number];
  path: string;
  isEvent: boolean;
  operation: oas31.OperationObject;
};

/** Every operation of a document in its order: endpoints, then webhooks. */
export function operationsOf({ paths = {}, webhooks = {} }: ApiDocument): Operation[] {
  const items = [
    ...Object.entries(paths).map(([path, item]) => ({ path, item, isEvent: false })),
    ...Object.entries(webhooks).map(([path, item]) => ({ path, item, isEvent: true })),
  ];
  return items.flatMap(({ path, item, isEvent }) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method, path, isEvent, operation }] : [];
    }),
  );
}

export type StatusResponse = { status: string; response: oas31.ResponseObject };

/** The responses of an operation by status, with references resolved. */
export function responsesOf(
  { components }: ApiDocument,
  { responses = {} }: oas31.OperationObject,
): StatusResponse[] {
  return Object.entries(responses).map(([status, given]) => {
    const name = '$ref' in given ? (given.$ref as string).split('/').pop() : undefined;
    const response = name === undefined ? given : components?.responses?.[name];
    return { status, response: response as oas31.ResponseObject };
  });
}

export const scopeField = 'x-required-scope';

/** The scope that a key needs; null: none. */
export function scopeOf(operation: oas31.OperationObject): string | null {
  return operation[scopeField] ?? null;
}

/** The example of a body that consists of lines of JSON. */
export function requestLines({ requestBody }: oas31.OperationObject): string | null {
  const content = (requestBody as oas31.RequestBodyObject | undefined)?.content?.[ndjsonType];
  return content === undefined ? null : String(content.example).trim();
}

export function requestContent(operation: oas31.OperationObject): oas31.MediaTypeObject | undefined {
  return (operation.requestBody as oas31.RequestBodyObject | undefined)?.content?.['application/json'];
}
