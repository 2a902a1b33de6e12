import {
  ALERT_KINDS,
  ALERT_SUBJECT_TYPES,
  type AlertKind,
  type AlertSubjectType,
} from '@tollgate/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

import { bigintColumn, oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';

/**
 * An alert, once for each rule, subject, window, threshold and limit: the unique constraint makes
 * it so for any number of catalogs. It keeps the words of its time, so it refers to nothing else.
 */
@Entity('alert')
@Unique('alert_once_key', ['ruleId', 'subjectId', 'windowStartsAt', 'threshold', 'limitAmount'])
@Index('alert_organisation_id_id_idx', ['organisationId', 'id'])
@Index('alert_unseen_idx', ['organisationId', 'id'], { where: 'seen_at IS NULL' })
@Index(['windowEndsAt'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('alert_kind_check', oneOf('kind', ALERT_KINDS))
@Check('alert_subject_type_check', oneOf('subject_type', ALERT_SUBJECT_TYPES))
export class Alert {
  @PrimaryColumn('uuid')
  id!: string;

  /** Null: of the platform. */
  @Column('uuid', { nullable: true })
  organisationId!: string | null;

  @Column('uuid')
  ruleId!: string;

  @Column('text')
  ruleName!: string;

  @Column('text')
  kind!: AlertKind;

  @Column('text')
  subjectType!: AlertSubjectType;

  /** An id; for the ledger the kind of the rule. */
  @Column('text')
  subjectId!: string;

  @Column('text')
  subjectName!: string;

  @Column('timestamptz')
  windowStartsAt!: Date;

  @Column('timestamptz')
  windowEndsAt!: Date;

  @Column('integer')
  threshold!: number;

  /** The limit's amount when the alert was raised; 0 for what is not a limit. */
  @Column(bigintColumn)
  limitAmount!: bigint;

  @Column(bigintColumn)
  value!: bigint;

  /** Of a limit on each value: how many had reached the threshold. */
  @Column('integer', { nullable: true })
  valueCount!: number | null;

  /** Whether value and limit are nano-USD. */
  @Column('boolean')
  money!: boolean;

  @Column('text')
  title!: string;

  @Column('text')
  text!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  seenAt!: Date | null;

  @Column('uuid', { nullable: true })
  seenBy!: string | null;
}
