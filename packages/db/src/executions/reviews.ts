import { limits } from '@holdfast/domain/limits';

/** Whether a reported cost waits for an operator instead of being charged: it may be too large for `numeric(24, 8)`. */
export const isReviewedSql = (reported: string, hold: string) =>
  `${reported} > greatest(${hold}, least(${hold} * ${limits.reviewFactor}, ${limits.maxCost}))`;
