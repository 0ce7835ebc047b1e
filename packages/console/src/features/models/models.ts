import { useQuery } from '@tanstack/react-query';
import { read, type Schemas } from '../../api.ts';
import type { StreamKind } from '../executions/shownStream.ts';

/** What the console shows of a model's definition; the API returns the stored file. */
export type Definition = {
  slug: string;
  display_name?: string;
  description?: string;
  active: boolean;
  providers: Route[];
  input_schema: Readonly<Record<string, unknown>>;
  price: Readonly<Record<string, unknown>>;
  estimate: Readonly<Record<string, unknown>>;
  timeout_s: number;
  limits: { concurrency?: number; per_minute?: number };
  on_busy: string;
  output: { kind: string };
  errors: { match?: string; code?: string; message?: string }[];
  show_to_clients?: string[];
  stream?: StreamKind;
  on_cancel?: 'release' | 'charge';
};

export type Route = {
  adapter: string;
  connection: string;
  model: string;
  mode: string;
  weight?: number;
  files: { as: string; max_bytes?: number };
};

export type Model = {
  slug: string;
  name: string;
  isActive: boolean;
  source: Schemas['ModelDefinition']['source'];
  definition: Definition;
  /** `isPartial`: only the newest failures of all models were counted. */
  activity?: (Schemas['ModelActivity'] & { isPartial: boolean }) | undefined;
};

/** By clients too, or as a test run of an operator: a disabled model is unknown to clients. */
export const isRunnable = ({ isActive, definition }: Model) => isActive || !definition.active;

/** `withActivity`: with what ran of each. */
export function useModels({ withActivity = false } = {}) {
  return useQuery({
    queryKey: withActivity ? ['models', 'activity'] : ['models'],
    queryFn: () =>
      read<Schemas['ModelDefinitionList']>('/models', withActivity ? { include: 'activity' } : {}),
    staleTime: 60_000,
    select: ({ data, has_more_failures: isPartial = false }): Model[] =>
      data.map(({ slug, is_active: isActive, source, definition: stored, activity: counts }) => {
        const definition = stored as unknown as Definition;
        const activity = counts && { ...counts, isPartial };
        return { slug, isActive, source, definition, activity, name: definition.display_name ?? slug };
      }),
  });
}
