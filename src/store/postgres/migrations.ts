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
  // A ledger only grows. The trigger holds for everybody who does not drop it.
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
  // With the rights of the tables' owner it writes what follows the last line, or what an owner's act begins
  // anew. So a user who may call it and not write the tables can change no line, and can move no end back. It
  // does not know the key: whether a line is signed is seen by the gates. They write the fields of a line in
  // this order. The text is searched, because PostgreSQL reads no JSON with the character 0 in it.
  `
  CREATE FUNCTION hookgate.write_ledger(at_generation bigint, at_revision bigint, at_head text,
    to_generation bigint, new_lines json) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      here hookgate.ledger%ROWTYPE;
      n bigint := 0;
      prev text := repeat('0', 64);
      line text;
    BEGIN
      LOCK TABLE hookgate.ledger IN SHARE ROW EXCLUSIVE MODE;
      SELECT * INTO here FROM hookgate.ledger;
      IF ROW(here.generation, here.revision, here.head) IS DISTINCT FROM ROW(at_generation, at_revision, at_head)
        THEN RETURN 'moved'; END IF;
      IF to_generation = here.generation THEN
        n := here.revision;
        prev := here.head;
      ELSIF to_generation <> coalesce(here.generation, 0) + 1 THEN
        RAISE EXCEPTION 'ledger % cannot follow ledger %', to_generation, here.generation;
      END IF;
      FOR line IN SELECT value FROM json_array_elements_text(new_lines) WITH ORDINALITY ORDER BY ordinality LOOP
        n := n + 1;
        IF NOT starts_with(line, '{"n":' || n || ',')
          OR substring(line FROM '"prev":"([0-9a-f]{64})","mac":"[0-9a-f]{64}"[}]$') IS DISTINCT FROM prev
          THEN RAISE EXCEPTION 'line % does not follow the line before it', n; END IF;
        INSERT INTO hookgate.ledger_line VALUES (to_generation, n, line);
        prev := encode(sha256(convert_to(line, 'UTF8')), 'hex');
      END LOOP;
      IF to_generation > 1 AND to_generation IS DISTINCT FROM here.generation
        AND (line !~ '^[{]"n":[0-9]+,"at":"[^"]*","act":"(recover|resume)",'
          OR substring(line FROM '"generation":([0-9]+)[}],"prev":') IS DISTINCT FROM to_generation::text)
        THEN RAISE EXCEPTION 'only an owner begins a ledger anew'; END IF;
      INSERT INTO hookgate.ledger (generation, revision, head) VALUES (to_generation, n, prev)
        ON CONFLICT ("isOne") DO UPDATE SET generation = excluded.generation, revision = excluded.revision,
          head = excluded.head;
      PERFORM pg_notify('hookgate_ledger', to_generation || ' ' || n);
      RETURN 'written';
    END $$;
  REVOKE ALL ON FUNCTION hookgate.write_ledger FROM PUBLIC;`,
  // What gates say that wait to take over.
  `
  CREATE TABLE hookgate.standby (holder text PRIMARY KEY, version text NOT NULL, generation bigint NOT NULL,
    revision bigint NOT NULL, why text, until timestamptz NOT NULL);`,
]
