import { holdfastHere } from '@holdfast/cli/testing/holdfast';
import { stackOfTests } from './stackOfTests.ts';

/** The whole system for all tests of a file, and the operator's command `holdfast`. */
export async function startOperated(overrides: Record<string, string> = {}) {
  const stack = await stackOfTests(overrides);
  const env = {
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    HOLDFAST_ADMIN_URL: stack.adminUrl,
    ADMIN_TOKEN: 'an-admin-token-for-tests',
  };
  return {
    stack,
    env,
    run: (...args: string[]) => holdfastHere(args, env),
    /** The output of `--json`. @throws with the error output if the command fails */
    async json<Document>(...args: string[]): Promise<Document> {
      const { code, stdout, stderr } = await holdfastHere([...args, '--json'], env);
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Document;
    },
  };
}
