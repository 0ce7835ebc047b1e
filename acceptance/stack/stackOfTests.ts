import { auditLedger } from '@holdfast/db/audit/audit';
import { closing } from '@holdfast/testkit/closing';
import { expect } from '@jest/globals';
import { type Stack, startStack } from './stack.ts';

/** A stack for all tests of a file. After the last of them its ledger is audited, and it is closed. */
export async function stackOfTests(...args: Parameters<typeof startStack>): Promise<Stack> {
  const stack = await startStack(...args);
  closing({
    async close() {
      const breaches = await auditLedger(stack.db);
      await stack.close();
      expect(breaches).toEqual([]);
    },
  });
  return stack;
}
