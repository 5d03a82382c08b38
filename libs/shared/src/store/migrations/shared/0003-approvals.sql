-- What people are asked, and what they decided. Whoever decides first, a person or the deadline, has decided: a decision
-- never changes. Proposals are artefacts, words of an answer lie in the vault; here are ids and times.
create table shared.approvals (
  tenant_id text not null,
  cycle_id text not null,
  proposal_id text not null,
  service text not null,
  phase text not null,
  revision integer not null,
  what text not null,
  by_default text not null check (by_default in ('approve', 'reject')),
  asked_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decision text check (decision in ('approve', 'revise', 'replace', 'reject')),
  decided_by text,
  decided_at timestamptz,
  primary key (tenant_id, cycle_id, proposal_id),
  check ((decision is null) = (decided_at is null))
);
call shared.isolate('shared.approvals');
grant select, insert, update (decision, decided_by, decided_at) on shared.approvals to ordeal_app;

create function shared.refuse_second_decision() returns trigger language plpgsql as $$
begin
  if old.decision is not null then
    raise exception 'proposal % is decided', old.proposal_id using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger decided_once before update on shared.approvals
  for each row execute function shared.refuse_second_decision();
