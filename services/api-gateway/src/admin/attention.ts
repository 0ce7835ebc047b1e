import {
  type Attention,
  attentionCodes,
  attentionMessage,
  attentionRules,
  severities,
} from '@holdfast/domain/attention';
import { z } from 'zod';

export const AttentionRecord = z
  .object({
    code: z.enum(attentionCodes),
    severity: z.enum(severities).describe('`page`: look now; `warn`: look today'),
    subject: z
      .string()
      .nullable()
      .meta({ description: 'The queue, connection or invariant', example: 'settle' }),
    count: z.int().nullable().describe('How many there are'),
    age_s: z.number().nullable().describe('For how long'),
    message: z.string().describe('A sentence for a person'),
    runbook: z.string().describe('The page under `/docs/operate/alerts/` that says what to do'),
  })
  .meta({ id: 'AttentionItem' });

export function attentionRecord(item: Attention): z.infer<typeof AttentionRecord> {
  const { ageS, ...facts } = item;
  const { runbook } = attentionRules[item.code];
  return { ...facts, age_s: ageS, message: attentionMessage(item), runbook };
}
