//! One write of one item, sent by itself or as a part of a transaction.

use std::{collections::HashMap, sync::Arc};

use aws_sdk_dynamodb::{
    error::SdkError,
    operation::{put_item::PutItemError, update_item::UpdateItemError},
    types::{
        AttributeValue, ConditionCheck, Delete, Put, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
        TransactWriteItem, Update,
    },
};
use keyloom_store::Fault;

use crate::{
    fault::Call,
    item::{self, Item},
    layout::Layout,
    store::DynamoDb,
};

/// What a request that does not hold its condition brings along: the item as it is.
const ALL_OLD: ReturnValuesOnConditionCheckFailure = ReturnValuesOnConditionCheckFailure::AllOld;

/// One write of one item.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    pub layout: Arc<Layout>,
    pub action: Action,
    pub condition: Option<Condition>,
}

/// What becomes of an item.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// It becomes this one.
    Put(Item),
    /// Some of its attributes change.
    Update { key: Item, change: Expression },
    /// It is gone.
    Delete(Item),
    /// It stays as it is.
    Check(Item),
}

/// What must hold for a write to happen. Names are our own, and need no placeholders.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    pub text: String,
    pub values: HashMap<String, AttributeValue>,
}

/// A change of attributes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expression {
    set: Vec<String>,
    remove: Vec<String>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

/// How a single write ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It happened.
    Done,
    /// Its condition did not hold; with the item as it was, if there was one.
    Otherwise(Option<Item>),
}

impl Expression {
    /// Sets an attribute, or takes it away.
    pub(crate) fn becomes(&mut self, name: &str, value: Option<AttributeValue>) {
        let number = self.names.len();
        self.names.insert(format!("#{number}"), name.to_owned());
        match value {
            Some(value) => {
                self.set.push(format!("#{number}=:{number}"));
                self.values.insert(format!(":{number}"), value);
            }
            None => self.remove.push(format!("#{number}")),
        }
    }

    fn text(&self) -> String {
        let clause = |word: &str, terms: &[String]| match terms {
            [] => String::new(),
            _ => format!("{word} {}", terms.join(",")),
        };
        [clause("SET", &self.set), clause("REMOVE", &self.remove)].join(" ").trim().to_owned()
    }

    fn size(&self) -> usize {
        let names: usize = self.names.values().map(String::len).sum();
        names + self.values.values().map(crate::value::size).sum::<usize>()
    }
}

impl Write {
    /// How many bytes it brings, as DynamoDB counts them in a transaction.
    pub(crate) fn size(&self) -> u64 {
        let bytes = match &self.action {
            Action::Put(item) | Action::Delete(item) | Action::Check(item) => item::size(item),
            Action::Update { key, change } => item::size(key) + change.size(),
        };
        bytes as u64
    }

    /// The part of a transaction.
    pub(crate) fn part(self) -> Result<TransactWriteItem, Fault> {
        let table = &self.layout.table;
        let (text, mut values) = self.condition.map_or((None, None), |it| (Some(it.text), Some(it.values)));
        let part = TransactWriteItem::builder();
        let unbuilt = |error: aws_sdk_dynamodb::error::BuildError| Fault::refused(error.to_string());
        Ok(match self.action {
            Action::Put(item) => {
                let put = Put::builder().table_name(table).set_item(Some(item));
                let put = put.set_condition_expression(text).set_expression_attribute_values(values);
                part.put(put.return_values_on_condition_check_failure(ALL_OLD).build().map_err(unbuilt)?).build()
            }
            Action::Update { key, change } => {
                let expression = change.text();
                values.get_or_insert_default().extend(change.values);
                let update = Update::builder().table_name(table).set_key(Some(key)).update_expression(expression);
                let update = update.set_expression_attribute_names(Some(change.names));
                let update = update.set_condition_expression(text).set_expression_attribute_values(values);
                part.update(update.return_values_on_condition_check_failure(ALL_OLD).build().map_err(unbuilt)?).build()
            }
            Action::Delete(key) => {
                part.delete(Delete::builder().table_name(table).set_key(Some(key)).build().map_err(unbuilt)?).build()
            }
            Action::Check(key) => {
                let check = ConditionCheck::builder().table_name(table).set_key(Some(key));
                let check = check.set_condition_expression(text).set_expression_attribute_values(values);
                let check = check.return_values_on_condition_check_failure(ALL_OLD).build().map_err(unbuilt)?;
                part.condition_check(check).build()
            }
        })
    }
}

impl DynamoDb {
    /// Sends a write by itself.
    pub(crate) async fn send(&self, write: Write) -> Result<Outcome, Fault> {
        let layout = write.layout;
        let (text, mut values) = write.condition.map_or((None, None), |it| (Some(it.text), Some(it.values)));
        match write.action {
            Action::Put(item) => {
                let call = self.client.put_item().table_name(&layout.table).set_item(Some(item));
                let call = call.set_condition_expression(text).set_expression_attribute_values(values);
                let call = call.return_values_on_condition_check_failure(ALL_OLD);
                match call.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await {
                    Ok(answer) => {
                        self.written(answer.consumed_capacity());
                        Ok(Outcome::Done)
                    }
                    Err(SdkError::ServiceError(answer)) if answer.err().is_conditional_check_failed_exception() => {
                        match answer.into_err() {
                            PutItemError::ConditionalCheckFailedException(failed) => {
                                Ok(Outcome::Otherwise(failed.item))
                            }
                            _ => Ok(Outcome::Otherwise(None)),
                        }
                    }
                    Err(error) => Err(self.fault(&layout, Call::Write, &error)),
                }
            }
            Action::Update { key, change } => {
                let expression = change.text();
                values.get_or_insert_default().extend(change.values);
                let call = self.client.update_item().table_name(&layout.table).set_key(Some(key));
                let call = call.update_expression(expression).set_expression_attribute_names(Some(change.names));
                let call = call.set_condition_expression(text).set_expression_attribute_values(values);
                let call = call.return_values_on_condition_check_failure(ALL_OLD);
                match call.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await {
                    Ok(answer) => {
                        self.written(answer.consumed_capacity());
                        Ok(Outcome::Done)
                    }
                    Err(SdkError::ServiceError(answer)) if answer.err().is_conditional_check_failed_exception() => {
                        match answer.into_err() {
                            UpdateItemError::ConditionalCheckFailedException(failed) => {
                                Ok(Outcome::Otherwise(failed.item))
                            }
                            _ => Ok(Outcome::Otherwise(None)),
                        }
                    }
                    Err(error) => Err(self.fault(&layout, Call::Write, &error)),
                }
            }
            // Only as parts of transactions.
            Action::Delete(_) | Action::Check(_) => Err(Fault::refused("a delete or a check goes with a decision")),
        }
    }
}
