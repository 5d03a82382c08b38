-- Every table with a tenant_id is isolated: row-level security is forced on, an unset tenant sees nothing, and the
-- plumbing role is let in only where rows hold ids. Migrations of every set use it: `call shared.isolate('a.table')`.
create procedure shared.isolate(target regclass, plumbing boolean default false)
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy tenant on %s to ordeal_app
       using (tenant_id = current_setting(''ordeal.tenant'', true))
       with check (tenant_id = current_setting(''ordeal.tenant'', true))', target);
  if plumbing then
    execute format('create policy plumbing on %s to ordeal_plumbing using (true) with check (true)', target);
  end if;
end $$;
revoke execute on procedure shared.isolate(regclass, boolean) from public;

grant usage on schema shared to ordeal_app;

create table shared.tenants (
  tenant_id text primary key check (tenant_id ~ '^[a-z0-9][a-z0-9-]{0,30}$'),
  name text not null,
  created_at timestamptz not null default now()
);
call shared.isolate('shared.tenants');
grant select, insert, update on shared.tenants to ordeal_app;

-- Documents of cycles: immutable and content-addressed. `body` is json, not jsonb, to keep the canonical text that was
-- hashed. The sequence is the order of creation.
create table shared.artefacts (
  sequence bigint generated always as identity primary key,
  tenant_id text not null,
  cycle_id text not null,
  artefact_id text not null check (artefact_id ~ '^sha256:[0-9a-f]{64}$'),
  kind text not null,
  name text,
  revision integer,
  body json not null,
  created_at timestamptz not null default now(),
  unique nulls not distinct (tenant_id, cycle_id, artefact_id, kind, name, revision)
);
create index artefacts_by_kind on shared.artefacts (tenant_id, cycle_id, kind, sequence);
call shared.isolate('shared.artefacts');
grant select, insert on shared.artefacts to ordeal_app;

create function shared.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '%.% is append-only', tg_table_schema, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger append_only before update or delete on shared.artefacts
  for each row execute function shared.refuse_change();
create trigger append_only_as_a_whole before truncate on shared.artefacts
  for each statement execute function shared.refuse_change();

-- Documents that hold credentials, sealed with AES-256-GCM by the services; the database never sees the key.
create table shared.vault (
  tenant_id text not null,
  cycle_id text not null,
  name text not null,
  sealed bytea not null,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, cycle_id, name)
);
call shared.isolate('shared.vault');
grant select, insert, update on shared.vault to ordeal_app;
