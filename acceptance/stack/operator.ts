import { holdfast } from '@holdfast/cli/testing/holdfast';
import { startStack } from './stack.ts';

/** The whole system, and the operator's command `holdfast`. */
export async function startOperated(overrides: Record<string, string> = {}) {
  const stack = await startStack(overrides);
  const env = {
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    HOLDFAST_ADMIN_URL: stack.adminUrl,
    ADMIN_TOKEN: 'an-admin-token-for-tests',
  };
  return {
    stack,
    env,
    run: (...args: string[]) => holdfast(args, env),
    /** The output of `--json`. @throws with the error output if the command fails */
    async json<Document>(...args: string[]): Promise<Document> {
      const { code, stdout, stderr } = await holdfast([...args, '--json'], env);
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Document;
    },
  };
}

export type Operated = Awaited<ReturnType<typeof startOperated>>;
