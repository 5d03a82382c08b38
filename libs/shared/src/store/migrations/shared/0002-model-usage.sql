-- What models cost, by cycle and month; reservations of requests under way are in it.
create table shared.model_usage (
  tenant_id text not null,
  cycle_id text not null,
  month timestamp not null,
  calls bigint not null,
  tokens bigint not null,
  usd double precision not null,
  primary key (tenant_id, cycle_id, month)
);
create index model_usage_by_month on shared.model_usage (tenant_id, month);
call shared.isolate('shared.model_usage');
grant select, insert, update on shared.model_usage to ordeal_app;

-- What a tenant may spend on models in a calendar month; null for no limit of that kind.
create table shared.model_limits (
  tenant_id text primary key,
  tokens bigint check (tokens > 0),
  usd double precision check (usd > 0)
);
call shared.isolate('shared.model_limits');
grant select, insert, update on shared.model_limits to ordeal_app;
