import type { Attributes } from './tracing.ts';

/** What spans of an execution have in common. */
export function executionAttributes(of: {
  executionId: string | null;
  organizationId: string | undefined;
  model?: string | null;
}): Attributes {
  return {
    'holdfast.execution_id': of.executionId,
    'holdfast.organization_id': of.organizationId,
    'holdfast.model': of.model,
  };
}
