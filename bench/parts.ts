import type { Part } from './bench.ts';
import { creates } from './parts/creates.ts';
import { endToEnd } from './parts/endToEnd.ts';
import { hotRow } from './parts/hotRow.ts';
import { lone } from './parts/lone.ts';

/** In the order in which they run: a quiet system first, the largest backlog last. */
export const parts: Record<string, Part> = { hot_row: hotRow, lone, end_to_end: endToEnd, creates };
