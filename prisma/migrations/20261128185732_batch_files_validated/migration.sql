ALTER TABLE batches VALIDATE CONSTRAINT batches_intake;
