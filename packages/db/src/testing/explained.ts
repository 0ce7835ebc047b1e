import { type Database, openDatabase } from '../client.ts';

/** A node of an executed plan, with all its loops. */
export type Reads = {
  statement: string;
  node: string;
  /** Rows returned and rows filtered out. */
  rows: number;
  /** Pages of a scan, without those of the nodes below it. */
  pages: number;
};

export type Explained = {
  /** Runs statements in a transaction that is rolled back, on the plans of this session; also those within functions. */
  explain(work: (db: Database) => Promise<unknown>): Promise<Reads[]>;
  close(): Promise<void>;
};

/** Every later session of the database reports its plans as notices. */
export const reportPlansSql = (database: string): string =>
  Object.entries({
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  })
    .map(([name, value]) => `ALTER DATABASE ${database} SET ${name} = '${value}'`)
    .join(';');

/** One session with the settings of a service. */
export async function openExplained(url: string): Promise<Explained> {
  const db = openDatabase({ url, poolSize: 1, applicationName: 'test' });
  const client = await db.pool.connect();
  const session = { pool: client } as unknown as Database;
  return {
    async explain(work) {
      const plans: Plan[] = [];
      const collect = ({ message = '' }: { message?: string | undefined }) => plans.push(...planIn(message));
      await client.query('BEGIN');
      client.on('notice', collect);
      try {
        await work(session);
      } finally {
        // The plan of a SELECT comes when its portal is closed: with the next statement.
        await client.query('ROLLBACK');
        client.off('notice', collect);
      }
      return plans.flatMap(({ 'Query Text': text, Plan: root }) => readsOf(root, nameOf(text)));
    },
    async close() {
      client.release();
      await db.close();
    },
  };
}

type Plan = { 'Query Text': string; Plan: Node };

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'CTE Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Node[];
};

function planIn(message: string): Plan[] {
  const start = message.indexOf('{');
  return message.startsWith('duration:') && start > 0 ? [JSON.parse(message.slice(start))] : [];
}

const nameOf = (text: string) => text.trim().replaceAll(/\s+/g, ' ').slice(0, 60);

function readsOf(node: Node, statement: string): Reads[] {
  const below = node.Plans ?? [];
  const removed = [
    'Rows Removed by Filter',
    'Rows Removed by Join Filter',
    'Rows Removed by Index Recheck',
  ] as const;
  const rows = removed.reduce((sum, kind) => sum + (node[kind] ?? 0), node['Actual Rows']);
  const own: Reads = {
    statement,
    node: [node['Node Type'], node['Index Name'] ?? node['Relation Name'] ?? node['CTE Name']]
      .filter(Boolean)
      .join(' '),
    rows: rows * node['Actual Loops'],
    pages:
      node['Relation Name'] !== undefined && node['Node Type'].includes('Scan')
        ? pagesOf(node) - below.reduce((sum, one) => sum + pagesOf(one), 0)
        : 0,
  };
  return [own, ...below.flatMap((one) => readsOf(one, statement))];
}

const pagesOf = (node: Node) => node['Shared Hit Blocks'] + node['Shared Read Blocks'];
