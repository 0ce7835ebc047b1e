import type { Express } from 'express';
import { modelRecord } from '../../api/models/modelRecord.ts';
import type { Context } from '../../context/context.ts';

/** Serves what /docs/models shows without a key: names and prices, if the operator publishes them; else null. */
export function mountModels(app: Express, { config, models }: Pick<Context, 'config' | 'models'>): void {
  app.get('/docs/models.json', async (_request, response) => {
    response.set('Cache-Control', 'public, max-age=60');
    if (!config.PUBLIC_MODELS) {
      response.json({ data: null });
      return;
    }
    const offered = (await models.list()).filter(({ isActive }) => isActive);
    const data = offered.map(({ definition }) => {
      const { slug, display_name, description, price } = modelRecord(definition);
      return { slug, display_name, description, price };
    });
    response.json({ data });
  });
}
