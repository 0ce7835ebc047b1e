import { useQuery, useQueryClient } from '@tanstack/react-query';
import { change, read, type Schemas } from '../../api.ts';

type Stored = Schemas['StoredModel'];

const pathOf = (slug: string) => `/models/${encodeURIComponent(slug)}`;

export const readStoredModel = (slug: string) => read<Stored>(pathOf(slug));

/** A model as the database has it, with its text. Undefined: none is asked for. */
export function useStoredModel(slug: string | undefined) {
  return useQuery({
    queryKey: ['model', slug],
    queryFn: () => readStoredModel(slug ?? ''),
    enabled: slug !== undefined,
    staleTime: 0,
  });
}

export function useModelChanges() {
  const client = useQueryClient();
  const changed = async (model: Stored): Promise<Stored> => {
    client.setQueryData(['model', model.slug], model);
    await client.invalidateQueries({ queryKey: ['models'] });
    return model;
  };
  return {
    apply: async (slug: string, body: Schemas['ModelText']) =>
      await changed(await change<Stored>('PUT', pathOf(slug), { body })),
    /** Reads the model again if that was refused: someone else has changed it. */
    async setActive({ slug, version }: Stored, active: boolean): Promise<Stored> {
      try {
        return await changed(await change<Stored>('PATCH', pathOf(slug), { body: { active, version } }));
      } catch (error) {
        void client.invalidateQueries({ queryKey: ['model', slug] });
        throw error;
      }
    },
  };
}
