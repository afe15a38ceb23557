"""Prefect tasks: when, again and remembered; what is done stands in the library.

Steps take and give plain data of the library, wrapped with `whole`: Prefect would otherwise walk through each document
in search of futures. They are not stored; only model calls are (conspectus.tasks.complete).
"""
