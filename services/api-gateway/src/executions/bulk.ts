import { searchIds } from '@holdfast/db/executions/search';
import { executionErrors } from '@holdfast/domain/errors';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import { z } from 'zod';
import type { Caller } from '../access/identity.ts';
import { boundModels } from '../access/models.ts';
import type { Context } from '../context/context.ts';
import { idFilter, timeField, toDate, withCommas } from '../http/fields.ts';
import { checkedCursor, pageEnd } from '../http/paging.ts';

type Code = keyof typeof executionErrors;
const codes = Object.keys(executionErrors) as [Code, ...Code[]];

const maxIds = 1000;
/** Executions that one request looks at; more wait for the next one. */
const lookedAt = 10_000;

const MetadataFilter = z
  .strictObject({ name: z.string().min(1).max(256), value: z.string().max(1024) })
  .meta({ id: 'MetadataFilter', example: { name: 'order', value: 'A-17' } });

/** Describes the body of a request about many executions with one of these statuses; its type is called `name`. */
export function bulkBody<const Statuses extends readonly [ExecutionStatus, ...ExecutionStatus[]]>(
  name: string,
  statuses: Statuses,
) {
  const several = <Schema extends z.ZodType>(one: Schema, max: number) =>
    z.array(one).min(1).max(max).optional();
  const filter = z
    .strictObject({
      ids: several(idFilter('exec', 'An execution'), maxIds),
      status: several(z.enum(statuses), statuses.length).meta({ example: [statuses[0]] }),
      model: z.string().max(64).optional().meta({ description: 'Model slug', example: 'sandbox-text' }),
      error_code: several(z.enum(codes), codes.length).describe(
        'Only executions that ended with one of these',
      ),
      metadata: MetadataFilter.optional().describe(
        'Only executions whose metadata has this member, with this value as text',
      ),
      created_after: timeField().optional().describe('Only executions created after this time'),
      created_before: timeField().optional().describe('Only executions created before this time'),
    })
    .refine((given) => Object.values(given).some((one) => one !== undefined), {
      message: 'must have at least one field: an empty filter would mean all executions',
      params: { code: 'REQUIRED' },
    })
    .meta({
      id: `${name}Filter`,
      description: `Executions that match every field, at least one. Others than ${statuses.join(', ')} are left as they are`,
    });
  return z
    .strictObject({
      filter,
      dry_run: z
        .boolean()
        .default(false)
        .meta({ description: 'Only counts the executions that match', example: true }),
      cursor: z.string().max(200).optional().describe('`next_cursor` of the previous response'),
    })
    .meta({
      id: name,
      example: { filter: { status: [statuses[0]], model: 'sandbox-text' }, dry_run: true },
    });
}

type BulkRequest = z.infer<ReturnType<typeof bulkBody<[ExecutionStatus, ...ExecutionStatus[]]>>>;

export const bulkPages = `Works through the newest first, a part per request, and looks at ${withCommas(lookedAt)} executions at most: repeat it with \`cursor\` while \`has_more\` is true, with \`dry_run\` too, and add up.`;

export const matchedField = z.int().meta({ description: 'Executions of this part that match', example: 3 });

/** The next executions that match, at most `limit`; a dry run counts all that one request may look at. */
export async function nextMatching(
  { db }: Pick<Context, 'db'>,
  caller: Pick<Caller, 'organizationId' | 'models'>,
  { filter, cursor, dry_run }: BulkRequest,
  { statuses, limit }: { statuses: readonly ExecutionStatus[]; limit: number },
) {
  const { metadata } = filter;
  const search = {
    organizationId: caller.organizationId,
    models: boundModels(caller),
    statuses: filter.status ?? statuses,
    ids: filter.ids,
    model: filter.model,
    errorCodes: filter.error_code,
    metadata: metadata && ([metadata.name, metadata.value] as const),
    createdAfter: toDate(filter.created_after),
    createdBefore: toDate(filter.created_before),
    cursor: checkedCursor('exec', cursor),
  };
  const { ids, next } = await searchIds(db, search, dry_run ? lookedAt : limit, lookedAt);
  return { ids, page: pageEnd(next) };
}
