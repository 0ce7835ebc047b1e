-- `on_cancel`: what a cancel costs after output was shown; null: the output is not streamed.
ALTER TABLE executions ADD COLUMN on_cancel text, ADD COLUMN finish_reason text,
  ADD CONSTRAINT executions_on_cancel CHECK (on_cancel IN ('release', 'charge')) NOT VALID,
  -- Takes the place of `executions_cost`.
  ADD CONSTRAINT executions_charged CHECK (CASE WHEN cost IS NULL THEN status <> 'COMPLETED'
    ELSE status = 'COMPLETED' OR (status = 'CANCELLED' AND on_cancel IS NOT DISTINCT FROM 'charge') END) NOT VALID;

CREATE TRIGGER executions_open_stream AFTER INSERT ON executions
  FOR EACH ROW WHEN (NEW.on_cancel IS NOT NULL) EXECUTE FUNCTION open_stream();
CREATE TRIGGER executions_charge_cancelled BEFORE UPDATE OF status ON executions
  FOR EACH ROW WHEN (NEW.status = 'CANCELLED' AND OLD.status <> 'CANCELLED' AND NEW.on_cancel = 'charge')
  EXECUTE FUNCTION charge_cancelled_stream();
CREATE TRIGGER executions_close_stream AFTER UPDATE OF status ON executions
  FOR EACH ROW WHEN (NEW.on_cancel IS NOT NULL AND NEW.completed_at IS NOT NULL AND OLD.completed_at IS NULL)
  EXECUTE FUNCTION close_stream();
