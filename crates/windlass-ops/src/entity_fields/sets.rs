//! Which fields an operation of the plan takes.

use std::fmt::Debug;
use std::marker::PhantomData;

use windlass_core::{Argument, EntityType, Field, PlanUse};

/// A type of the plan.
pub trait PlanType: Debug + Clone + Send + Sync + 'static {
    const ENTITY: EntityType;
}

#[derive(Debug, Clone)]
pub struct Feature;

#[derive(Debug, Clone)]
pub struct Discipline;

#[derive(Debug, Clone)]
pub struct Task;

impl PlanType for Feature {
    const ENTITY: EntityType = EntityType::Feature;
}

impl PlanType for Discipline {
    const ENTITY: EntityType = EntityType::Discipline;
}

impl PlanType for Task {
    const ENTITY: EntityType = EntityType::Task;
}

/// The fields that an operation takes of one type.
pub trait FieldSet: Debug + Clone + Send + Sync + 'static {
    const ENTITY: EntityType;

    fn argument(used: &PlanUse) -> Argument;

    /// The fields, and whether each must be given.
    fn fields() -> impl Iterator<Item = (&'static Field, Argument)> {
        let fields = Self::ENTITY.declaration().plan_fields();
        fields.filter_map(|field| match Self::argument(field.plan.as_ref()?) {
            Argument::Absent => None,
            argument => Some((field, argument)),
        })
    }
}

/// What a new entity is created from.
#[derive(Debug, Clone)]
pub struct New<T>(PhantomData<T>);

/// What an update changes.
#[derive(Debug, Clone)]
pub struct Changed<T>(PhantomData<T>);

/// What is added to a draft.
#[derive(Debug, Clone)]
pub struct Enriched<T>(PhantomData<T>);

impl<T: PlanType> FieldSet for New<T> {
    const ENTITY: EntityType = T::ENTITY;

    fn argument(used: &PlanUse) -> Argument {
        used.create
    }
}

impl<T: PlanType> FieldSet for Changed<T> {
    const ENTITY: EntityType = T::ENTITY;

    fn argument(used: &PlanUse) -> Argument {
        used.update
    }
}

impl<T: PlanType> FieldSet for Enriched<T> {
    const ENTITY: EntityType = T::ENTITY;

    fn argument(used: &PlanUse) -> Argument {
        used.enrich
    }
}
