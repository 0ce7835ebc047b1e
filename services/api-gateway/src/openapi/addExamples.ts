import type { oas31 } from 'zod-openapi';
import type { ApiDocument } from './document.ts';
import { answersOf, operationsOf, requestContent } from './operations.ts';
import { sampleOf } from './sampleOf.ts';

/** Gives every JSON body of a document an example, where it has none of its own. */
export function addExamples(document: ApiDocument): void {
  const schemas = document.components?.schemas ?? {};
  for (const { operation } of operationsOf(document)) {
    const answers = answersOf(document, operation).map(({ answer }) => answer.content?.['application/json']);
    for (const media of [requestContent(operation), ...answers]) addExample(media, schemas);
  }
}

function addExample(
  media: oas31.MediaTypeObject | undefined,
  schemas: NonNullable<oas31.ComponentsObject['schemas']>,
): void {
  if (!media?.schema || media.example !== undefined) return;
  media.example = sampleOf(media.schema, schemas);
}
