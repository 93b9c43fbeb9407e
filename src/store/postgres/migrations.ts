/** The schema that holds everything of hookgate. Nothing else of a database is touched. */
export const SCHEMA_NAME = 'hookgate'

/**
 * The steps from an empty schema to the current one. The first step makes version 1. A step that was released
 * is never changed: a change is one more step. A column has the name of the field that it holds.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE hookgate.record (place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, class text NOT NULL,
    nth bigint NOT NULL, event_id text NOT NULL, kind text NOT NULL, json text NOT NULL, UNIQUE (class, nth));
  CREATE INDEX record_event ON hookgate.record (event_id, place);
  CREATE TABLE hookgate.record_class (class text PRIMARY KEY, nth bigint NOT NULL);
  CREATE TABLE hookgate.outbox (place bigint GENERATED ALWAYS AS IDENTITY, id text PRIMARY KEY,
    seq bigint NOT NULL, channel text NOT NULL, chat_id text NOT NULL, kind text NOT NULL, state text NOT NULL,
    revision bigint NOT NULL, "createdAtMs" bigint NOT NULL, body text NOT NULL);
  CREATE TABLE hookgate.prompt (place bigint GENERATED ALWAYS AS IDENTITY, prompt_id text PRIMARY KEY,
    agent_id text NOT NULL, channel text NOT NULL, chat_id text NOT NULL, sender_id text NOT NULL,
    sender_name text NOT NULL, text text NOT NULL, "inGroup" text, "atMs" bigint NOT NULL, state text NOT NULL);
  CREATE TABLE hookgate.seen (channel text, chat_id text, message_id text, "atMs" bigint NOT NULL,
    PRIMARY KEY (channel, chat_id, message_id));
  CREATE INDEX seen_at ON hookgate.seen ("atMs");
  CREATE TABLE hookgate.ended (place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL,
    json text NOT NULL);
  CREATE TABLE hookgate.question (place bigint GENERATED ALWAYS AS IDENTITY, key text PRIMARY KEY,
    call text NOT NULL, state text NOT NULL);
  CREATE TABLE hookgate.fact (key text PRIMARY KEY, value text NOT NULL);`,
  // A ledger only grows. The trigger holds for everybody who does not drop it; a role without the rights to
  // change lines holds for a stolen password, too.
  `
  CREATE TABLE hookgate.ledger ("isOne" boolean PRIMARY KEY DEFAULT true CHECK ("isOne"), generation bigint NOT NULL,
    revision bigint NOT NULL, head text NOT NULL);
  CREATE TABLE hookgate.ledger_line (generation bigint, n bigint, line text NOT NULL, PRIMARY KEY (generation, n));
  CREATE FUNCTION hookgate.keep_ledger_line() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'a line of the ledger is never changed or removed'; END $$;
  CREATE TRIGGER keep_ledger_line BEFORE UPDATE OR DELETE OR TRUNCATE ON hookgate.ledger_line
    EXECUTE FUNCTION hookgate.keep_ledger_line();`,
  // A transaction of the gate that holds a lease begins with the check, and keeps the lease until its commit.
  // The bytes of sealed files are kept by their SHA-256 in hex.
  `
  CREATE TABLE hookgate.sealed_file (sha256 text PRIMARY KEY, content bytea NOT NULL);
  CREATE TABLE hookgate.lease (name text PRIMARY KEY, epoch bigint NOT NULL, holder text NOT NULL,
    until timestamptz NOT NULL);
  CREATE FUNCTION hookgate.check_lease(of_name text, of_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM FROM hookgate.lease WHERE name = of_name AND epoch = of_epoch FOR SHARE;
      IF NOT FOUND THEN RAISE EXCEPTION USING ERRCODE = 'HG001', MESSAGE = 'the lease has another holder'; END IF;
    END $$;`,
  // These tables keep their size while rows come and go. Without this, the server cleans a table up only
  // after a fifth of it has changed.
  `
  ALTER TABLE hookgate.outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
  ALTER TABLE hookgate.ended SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
  ALTER TABLE hookgate.record SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);`,
]
