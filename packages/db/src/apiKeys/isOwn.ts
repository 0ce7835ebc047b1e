/** Of a key: it is the organization's, $2, or its test organization's. */
export const isOwn = 'organization_id IN (SELECT id FROM organizations WHERE id = $2 OR test_of = $2)';
