import type { oas31 } from 'zod-openapi';
import type { ApiDocument } from './document.ts';

export const methods = ['post', 'get', 'patch', 'delete'] as const;

/** `isEvent`: something that clients receive, not an endpoint of ours. */
export type Operation = {
  method: (typeof methods)[number];
  path: string;
  isEvent: boolean;
  operation: oas31.OperationObject;
};

/** Every operation of a document, in its order: the endpoints, then what clients receive. */
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

export type Answer = { status: string; answer: oas31.ResponseObject };

/** The answers of an operation, by status; references are followed. */
export function answersOf({ components }: ApiDocument, { responses = {} }: oas31.OperationObject): Answer[] {
  return Object.entries(responses).map(([status, given]) => {
    const name = '$ref' in given ? (given.$ref as string).split('/').pop() : undefined;
    const answer = name === undefined ? given : components?.responses?.[name];
    return { status, answer: answer as oas31.ResponseObject };
  });
}

/** What a key must be allowed to; null: any key will do, or none. */
export function scopeOf({ security }: oas31.OperationObject): string | null {
  return security?.[0]?.['apiKey']?.[0] ?? null;
}

export function requestContent(operation: oas31.OperationObject): oas31.MediaTypeObject | undefined {
  return (operation.requestBody as oas31.RequestBodyObject | undefined)?.content?.['application/json'];
}
