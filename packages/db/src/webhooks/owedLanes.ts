/** The lanes that something is pending in, found by leaping over the index: what waits in a lane, be it millions, is not read. */
export const owedLanesSql = `RECURSIVE owed AS (
  (SELECT lane FROM deliveries WHERE state = 'pending' ORDER BY lane LIMIT 1)
  UNION ALL
  SELECT (SELECT d.lane FROM deliveries d WHERE d.state = 'pending' AND d.lane > o.lane ORDER BY d.lane LIMIT 1)
  FROM owed o WHERE o.lane IS NOT NULL
)`;
