import { type Results } from '@ordeal/shared'

type Approval = NonNullable<Results['approvals']>[number]

const DECISIONS: Readonly<Record<Approval['decision'], string>> = {
  approve: 'approved',
  revise: 'asked for another one',
  replace: 'replaced',
  reject: 'rejected',
}

/** What people decided, a row each: what about, the decision, by whom and when, and what they said. */
export const approvalRows = ({ approvals = [] }: Pick<Results, 'approvals'>): string[][] =>
  approvals.map(({ what, revision, decision, by, at, message }) => [
    revision > 0 ? `${what} r${revision}` : what,
    DECISIONS[decision],
    by ?? 'nobody in time: the default',
    at,
    message ?? '–',
  ])

export const APPROVAL_HEAD = ['Asked about', 'Decision', 'By', 'When', 'Message']
